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

/* The lab's own operations; then those for which users' kernel files contain a reference (KERNELS
 * of the Makefile), which only their authors vouch for. NULL: neither has the operation. */
const struct oracle *oracle_find(const char *op);
/* Is it measured with a gamma where none is given, and with a beta, because models have them
 * (inputs_affine)? */
bool oracle_is_affine(const struct oracle *);
bool oracle_has_beta(const struct oracle *);
/* The lab's own, in their order; NULL behind the last. */
const struct oracle *oracle_at(size_t i);
size_t oracle_values(const struct oracle *, size_t n); /* doubles in y per row */

/* The file a reference came from; NULL for the lab's own operations. */
const char *oracle_source(const struct oracle *);
/* Why oracle_find() has none: one sentence. */
void oracle_missing(const char *op, char *why, size_t size);

/* Columns of job.y for rows of n elements; n also if the operation is unknown. */
size_t oracle_columns(const char *op, size_t n);

#endif
