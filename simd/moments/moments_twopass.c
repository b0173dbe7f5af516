// SPDX-License-Identifier: MIT
/* mean = sum(x) / n;  variance = sum((x - mean)^2) / n.
 * Bound: BOUND_VARIANCE_TWOPASS (docs/method.md); with CHAINS chains of VL
 * lanes n is in truth the height of the tree. Worst input: a large offset, since the mean's own
 * rounding enters squared. 4 flops, 4 bytes per element (the second pass finds the row in cache).
 * Source: Chan, Golub, LeVeque 1983. */
// build: stored=bf16,f16,f64
#include "twopass.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) store_moments(j, r, twopass(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "twopass",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .bound = BOUND_VARIANCE_TWOPASS,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.mad = 1, .add = 2}, /* a sum; a difference, and the sum of its square */
};
