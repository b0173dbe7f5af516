// SPDX-License-Identifier: MIT
/* The oracle: the exact value of every operation, in fp64, from fp32 rows. Its error is below 2^-10
 * fp32 ulp (MPFR certifies it in tests/test_oracle.c), or the row is marked `beyond`. The bits are
 * the same on every CPU: SLEEF's functions of one fixed flavour, which needs AVX2 and FMA, and no
 * other choice that depends on the CPU. */
#ifndef ULPLAB_ORACLE_H
#define ULPLAB_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "oracle/inputs.h"

extern const struct parameters parameters_default; /* scale 1, eps 1e-5 */

/* Returns the lab's own operation, or one for which a user's kernel file contains a reference
 * (KERNELS of the Makefile); its author is responsible for that one's accuracy. NULL: neither
 * exists. */
const struct oracle *oracle_find(const char *op);
/* Return whether the operation is measured with a gamma, and with a beta, even if none is given,
 * because models have them (inputs_affine). */
bool oracle_is_affine(const struct oracle *);
bool oracle_has_beta(const struct oracle *);
/* Returns the lab's own operations, in their order; NULL behind the last. */
const struct oracle *oracle_at(size_t i);
size_t oracle_values(const struct oracle *, size_t n); /* the number of doubles in y per row */
/* Returns those of job.y among them: per element, or columns. */
size_t oracle_results(const struct oracle *, size_t n);

/* Returns whether fp32 overflows in the row's sum of squares: no bound holds there, and no file
 * promises anything. */
bool oracle_overflows(const struct oracle_row *);

/* Returns the file of a reference; NULL for the lab's own operations. */
const char *oracle_source(const struct oracle *);
/* Writes why oracle_find() has none: one sentence. */
void oracle_missing(const char *op, char *why, size_t size);
/* Writes to `line` that users' reference i is sound but not in use, if there is another for its
 * operation; otherwise `line` is empty. Returns false after the last reference. */
bool oracle_unused(size_t i, char *line, size_t size);

/* Returns the columns of job.y for rows of n elements; n if the operation is unknown. */
size_t oracle_columns(const char *op, size_t n);

#endif
