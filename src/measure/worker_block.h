// SPDX-License-Identifier: MIT
/* A block of cells, measured in rounds: in every round each cell has one sample, in a newly drawn
 * order, so that cells that are compared are timed within moments of each other, and a disturbance
 * affects all equally (randomised multiple interleaved trials: Abedi and Brecht, ICPE 2017). */
#ifndef ULPLAB_WORKER_BLOCK_H
#define ULPLAB_WORKER_BLOCK_H

#include "measure/work.h"

/* Visits a cell for the block. */
typedef struct visit_result (*block_visitor)(void *context, const struct work_order *o,
                                             const struct visit *visit);
/* The time, and what to tell when a cell's samples are complete. */
struct block_hooks {
    void *context;
    block_visitor visit;
    double (*seconds)(void *context);
    void (*put)(void *context, struct work_cell *cell);
};

/* Returns the number of rounds for a cell whose sample takes that long: all, or as many as its
 * patience allows, but at least three. */
size_t block_rounds(const struct work_header *work, double sample_s);
/* Returns whether a cell that takes part in `taken` of `rounds` rounds takes part in this one; its
 * rounds are evenly spread. */
bool block_takes_part(size_t taken, size_t rounds, size_t round);

/* Measures all orders[count] of a block. */
void block_measure(const struct work_header *work, const struct work_order *orders, size_t count,
                   const struct block_hooks *hooks);

#endif
