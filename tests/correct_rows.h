// SPDX-License-Identifier: MIT
/* Rows for the kernels called `correct`, and what they must give: a naive program in MPFR, which
 * knows nothing of how they compute. */
#ifndef ULPLAB_TEST_CORRECT_ROWS_H
#define ULPLAB_TEST_CORRECT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "model/registry.h"

/* The operations of rows, for which `correct` has kernels; ends with NULL. */
extern const char *const correct_operations[];

/* Values of a row in y, and in job.stats. */
size_t correct_columns(const char *op, size_t n);
size_t correct_stats(const char *op);

/* Writes the correctly rounded results of a row: y[correct_columns()], stats[correct_stats()]. */
void correct_row(const char *op, const struct job *j, const float *x, float *y, float *stats);

/* The kernels of an operation whose machine code differs, and their variants' ids. */
enum { CORRECT_KERNELS_MAX = 256 };
struct correct_kernels {
    const struct kernel *items[CORRECT_KERNELS_MAX];
    const char *names[CORRECT_KERNELS_MAX];
    size_t count;
};
struct correct_kernels correct_kernels_of(const struct registry *r, const char *op);

/* Kinds of rows: the input families, then rows whose results are ties, or lie next to midpoints, or
 * are zeros, or leave the range of floats. */
size_t correct_kinds(void);
const char *correct_kind_name(size_t kind);
/* Writes row `row` of a kind, a function of (op, kind, row, n). */
void correct_fill(const char *op, size_t kind, uint64_t row, size_t n, float *x);
/* Writes the eps of a row of that kind, and its gamma[n] and beta[n]. */
float correct_parameters(size_t kind, uint64_t row, size_t n, float *gamma, float *beta);

/* What a comparison of kernels with correct_row() found. */
struct correct_count {
    size_t rows, results, wrong;
    char first[256]; /* the first wrong result */
};
/* Compares `count` kernels of an operation on rows of a kind, of at least `elements` elements, in
 * batches, with gamma and beta where `affine`. names: what `first` calls them. */
struct correct_count correct_compare(const char *op, const struct kernel *const *kernels,
                                     const char *const *names, size_t count, size_t kind,
                                     size_t elements);

#endif
