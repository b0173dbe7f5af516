// SPDX-License-Identifier: MIT
/* The virtual register of 16 lanes, and the addresses of rows. */
#ifndef LANES_H
#define LANES_H

#include "exact_ops.h"
#include "kernel.h"
#include "storage.h"

enum {
    LANES = 16,
    PARTS = LANES / VL, /* hardware registers per virtual register */
    BLOCK = 4096,       /* elements; 16 KiB, which stay in L1 between two passes over them */
    LINE = 16,          /* floats per cache line */
};

/* Returns how many lanes of a hardware register that starts at element `at` hold elements below
 * n. */
static inline size_t lanes_before(size_t at, size_t n)
{
    return at >= n ? 0 : n - at < VL ? n - at : VL;
}

/* Returns the length of the block of a row that starts at element `at`. */
static inline size_t block_length(size_t n, size_t at) { return n - at < BLOCK ? n - at : BLOCK; }

static inline const element *row_in(const struct job *j, size_t r)
{
    return (const element *)j->x + r * j->x_stride;
}
static inline element *row_out(const struct job *j, size_t r)
{
    return (element *)j->y + r * j->y_stride;
}

/* Returns how many rows the batch that starts at row `first` has: at most VL. */
static inline size_t rows_from(const struct job *j, size_t first)
{
    return j->rows - first < VL ? j->rows - first : VL;
}

#endif
