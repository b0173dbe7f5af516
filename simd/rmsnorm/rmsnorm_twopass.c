// SPDX-License-Identifier: MIT
/* y = x rstd gamma, rstd = 1 / sqrt(mean of x^2 + eps): a pass for the sum of squares, another for
 * the results. Beyond |x| = 1.8e19 squares overflow, and y is 0; below 1.1e-19 they underflow,
 * which shows where eps is as small. Bound: BOUND_RMS (docs/method.md). 4 flops, 8 bytes per
 * element. Source: Zhang, Sennrich 2019. */
// build: stored=bf16,f16,f64
#include "layernorm.h"
#include "sums.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        float squares = row_sums(row_of(j, r), j->n, 0.0f).dd;
        float rstd = rstd_of(squares / to_float(j->n), j->eps);
        scale_row(j, r, rstd);
        if (j->stats) ((float *)j->stats)[r] = rstd;
    }
}

const struct kernel KERNEL = {
    .op = "rmsnorm",
    .algorithm = "twopass",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .bound = BOUND_RMS,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.mad = 1, .mul = 2}, /* with gamma */
};
