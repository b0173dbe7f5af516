/* A block of cells, measured in rounds: in every round each cell has one sample, in an order that
 * is drawn anew, so that what is compared is timed within moments of each other, and a disturbance
 * meets all alike (randomised multiple interleaved trials: Abedi and Brecht, ICPE 2017). */
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

/* In how many of the rounds a cell takes part whose sample takes that long: in all, or in as many
 * as its patience allows, but in three at least. */
size_t block_rounds(const struct work_header *work, double sample_s);
/* Does a cell that takes part in `taken` of `rounds` take part in this one? Evenly spread. */
bool block_takes_part(size_t taken, size_t rounds, size_t round);

/* Measures all orders[count] of a block. */
void block_measure(const struct work_header *work, const struct work_order *orders, size_t count,
                   const struct block_hooks *hooks);

#endif
