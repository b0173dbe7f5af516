// SPDX-License-Identifier: MIT
/* Places the operands of a call in memory, and checks that a kernel wrote nowhere else. */
#ifndef EDGES_PLACE_H
#define EDGES_PLACE_H

#include "edges.h"

/* The bytes of an operand at a guard page; a kernel must not touch [low, at) and [at + bytes,
 * high). */
struct extent {
    char *low, *at, *high;
    size_t bytes;
};

/* Rows of `row` bytes each, `step` bytes from one to the next. */
struct rows {
    struct extent extent;
    size_t count, row, step;
};

struct placed {
    struct job job;
    struct rows x, y, gamma, beta, stats,
        scratch;        /* besides x and y: one row, or one per row of x */
    const char *source; /* the source of x's rows, which are source_step apart */
    size_t source_step;
    size_t computed; /* bytes of an element of gamma */
};
enum { PLACED = 6 }; /* indices of `rows` in struct placed */

struct placed place(struct memory *m, const struct variant *v, const struct operands *o,
                    const struct layout *l, size_t n);

/* Two fillings for bytes that a kernel must not depend on. Read as floats: NaNs, and numbers about
 * 0.01. */
enum filling { NANS, NUMBERS };
/* Writes the inputs, and fills everything else. */
void place_fill(const struct placed *p, enum filling filling);
/* Returns NULL, or what the kernel wrote to and must not write to. */
const char *place_complaint(const struct placed *p, enum filling filling);

/* Tells memcheck which bytes are undefined; afterwards withdraws that and returns whether every
 * result is defined. */
void place_close(const struct placed *p);
bool place_open(const struct placed *p);

/* Copies results and statistics without gaps; returns their size. */
size_t place_results(const struct placed *p, char *results);

#endif
