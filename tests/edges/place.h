// SPDX-License-Identifier: MIT
/* Where the operands of a call lie, and whether a kernel kept to them. */
#ifndef EDGES_PLACE_H
#define EDGES_PLACE_H

#include "edges.h"

/* Bytes at a guard page; [low, at) and [at + bytes, high) are for nobody. */
struct extent {
    char *low, *at, *high;
    size_t bytes;
};

/* Rows of `row` bytes, `step` apart. */
struct rows {
    struct extent extent;
    size_t count, row, step;
};

struct placed {
    struct job job;
    struct rows x, y, gamma, beta, stats, scratch; /* all but x and y: one row, or one of each x */
    const char *source;                            /* of x, rows that are source_step apart */
    size_t source_step;
};
enum { PLACED = 6 }; /* of `rows` in struct placed */

struct placed place(struct memory *m, const struct variant *v, const struct operands *o,
                    const struct layout *l, size_t n);

/* Two contents of what a kernel may not depend on; as numbers, NaNs and about 0.01. */
enum filling { NANS, NUMBERS };
/* Inputs are what they have to be, everything else is filled. */
void place_fill(const struct placed *p, enum filling filling);
/* NULL, or what a kernel wrote to and may not. */
const char *place_complaint(const struct placed *p, enum filling filling);

/* Tells memcheck; afterwards takes it back, and says whether every result is defined. */
void place_close(const struct placed *p);
bool place_open(const struct placed *p);

/* Packs results and statistics; their size. */
size_t place_results(const struct placed *p, char *results);

#endif
