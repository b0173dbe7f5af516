// SPDX-License-Identifier: MIT
/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(max(variance, 0) + eps), on two-pass moments.
 * No bound of its own; the variance's is BOUND_VARIANCE_TWOPASS (docs/method.md).
 * 8 flops (4 + 4), 8 bytes per element. Source: Ba, Kiros, Hinton 2016. */
// build: stored=bf16,f16,f64
#include "layernorm.h"
#include "twopass.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) normalise(j, r, twopass(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = "twopass",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 8,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .promise = {.specials = true},
    .run = run,
    .ops = {.mad = 2,
            .mul = 1,
            .add = 3}, /* moments_twopass.c's, (x - mean) rstd, gamma and beta */
};
