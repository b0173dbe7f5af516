// SPDX-License-Identifier: MIT
/* What a worker times, and how: rows of input, a timed loop over them, and the rounds in which the
 * cells of a block are sampled in turn. */
#ifndef ULPLAB_WORKER_TIMING_H
#define ULPLAB_WORKER_TIMING_H

#include "machine/topology.h"
#include "measure/buffer.h"
#include "measure/work.h"
#include "model/dtype.h"
#include "oracle/inputs.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Rows of one family and shape, shared by all the cells of a worker that read them and write as
 * much. */
struct data {
    enum family family;
    enum domain domain;
    const struct dtype *type; /* of x */
    size_t output_bytes;      /* of an element of y */
    size_t rows, n, outputs;  /* outputs: per row */
    unsigned threads;
    struct caches caches; /* for each thread */
    struct parameters parameters;
    bool log_output; /* of the jobs */
    struct buffer x, y, scratch;
    void *affine; /* gamma[n], beta[n], of the type that kernels compute in; NULL: none */
    bool has_beta;
    struct gate *gates;
    struct data *next;
};

struct data_store {
    const struct work_header *work;
    const struct topology *topology;
    size_t x_offset, y_offset; /* within a page */
    struct data *first;
    size_t bytes;
};

/* Page offsets of x and y: any cache line of a page, as a user's allocator might choose. */
void data_choose_layout(struct data_store *s);
/* Returns the filled data for an order's kernel. It stays at least until the next call: if a
 * quarter of the memory would not hold more, the rest is unmapped first. */
const struct data *data_for(struct data_store *s, const struct work_order *o,
                            const struct kernel *k);
/* Returns the job of all rows, as thread i sees them. */
struct job data_job(const struct data *d, unsigned i);
void data_drop(struct data_store *s);

/* ---- The timed loop -------------------------------------------------------------------------- */

struct timer {
    struct clock clock;
    struct cycles cycles;
    struct cycles_mark mark; /* the last reading, at this tick */
    uint64_t marked;
    double empty_ticks; /* of a call of a kernel that does nothing */
    uint64_t began;     /* the worker's first tick */
};

void timer_open(struct timer *t, const struct clock *clock);
void timer_close(struct timer *t);
double timer_seconds(const struct timer *t); /* since timer_open() */

/* One visit to a cell. */
struct visit_result timer_visit(struct timer *t, const struct work_header *work,
                                const struct data *d, const struct kernel *k,
                                const struct visit *visit);

/* ---- A block --------------------------------------------------------------------------------- */

/* A block of cells is measured in rounds: in every round each cell has one sample, in a newly drawn
 * order, so that cells that are compared are timed within moments of each other, and a disturbance
 * affects all equally (randomised multiple interleaved trials: Abedi and Brecht, ICPE 2017). */

/* The time, what visits a cell, and what to tell when a cell's samples are complete. */
struct block_hooks {
    void *context;
    struct visit_result (*visit)(void *context, const struct work_order *o,
                                 const struct visit *visit);
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
