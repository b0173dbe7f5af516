// SPDX-License-Identifier: MIT
/* y = x rstd gamma, rstd = 1 / sqrt(mean of x^2 + eps): a pass for the sum of squares, another for
 * the results. Beyond |x| = 1.8e19 squares overflow, and y is 0; below 1.1e-19 they underflow,
 * which shows where eps is as small. Bound: BOUND_RMS (docs/method.md). 4 flops, 8 bytes per
 * element. Source: Zhang, Sennrich 2019. */
// build: stored=bf16,f16
#include "layernorm.h"
#include "sums.h"

static void scale(const struct job *j, size_t r, float rstd)
{
    const element *x = row_of(j, r);
    element *y = (element *)j->y + r * j->y_stride;
    vf scale = v_set1(rstd);
    size_t n = j->n, i = 0;
    for (; i + VL <= n; i += VL)
        y_store(y + i, v_mul(v_mul(x_load(x + i), scale), parameter(j->gamma, i, 1.0f)));
    vf t = v_mul(x_load_part(x + i, n - i, 0.0f), scale);
    y_store_part(y + i, v_mul(t, parameter_part(j->gamma, i, n - i, 1.0f)), n - i);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        float squares = row_sums(row_of(j, r), j->n, 0.0f).dd;
        float rstd = rstd_of(squares / to_float(j->n), j->eps);
        scale(j, r, rstd);
        if (j->stats) j->stats[r] = rstd;
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
