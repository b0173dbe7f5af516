// SPDX-License-Identifier: MIT
/* Mean and variance (ddof 0) of doubles, with one bit pattern on every ISA, compiler and policy:
 * rows_f64.h has the equations. Two passes; 5 flops, 8 bytes per element (the second pass finds the
 * row in cache). */
#include "invariant/rows_f64.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const struct row_moments m = row_moments_of(row_of(j, r), j->n);
        store_moments(j, r, (struct moments){m.mean, m.variance});
    }
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "invariant",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 5,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = PARTS,
    .bound = BOUND_VARIANCE_CORRECTED,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.fma = MOMENTS_FMA, .add = MOMENTS_ADD},
};
