// SPDX-License-Identifier: MIT
/* y = (x - mean) rstd gamma + beta of floats, on moments that are summed in double (mixed.h) and
 * rounded to fp32, as many ship it.
 * 8 flops (4 + 4), 8 bytes per element. */
#include "layernorm.h"
#include "mixed.h"

static void mixed_row(const struct job *j, size_t r)
{
    struct moments m = mixed_moments(row_of(j, r), j->n);
    float rstd = rstd_of(m.variance, j->eps);
    const element *x = row_of(j, r);
    element *y = (element *)j->y + r * j->y_stride;
    vf mean = v_set1(m.mean), scale = v_set1(rstd);
    size_t n = j->n, i = 0;
    for (; i + VL <= n; i += VL) {
        vf t = v_mul(v_sub(x_load(x + i), mean), scale);
        y_store(y + i, v_fma(t, parameter(j->gamma, i, 1.0f), parameter(j->beta, i, -0.0f)));
    }
    size_t rest = n - i;
    vf t = v_mul(v_sub(x_load_part(x + i, rest, 0.0f), mean), scale);
    vf g = parameter_part(j->gamma, i, rest, 1.0f), b = parameter_part(j->beta, i, rest, -0.0f);
    y_store_part(y + i, v_fma(t, g, b), rest);
    if (j->stats) {
        j->stats[2 * r] = m.mean;
        j->stats[2 * r + 1] = rstd;
    }
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) mixed_row(j, r);
}

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = "mixed",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 8,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .promise = {.specials = true},
    .run = run,
    /* moments_mixed.c's, (x - mean) rstd, gamma and beta. */
    .ops = {.fma = MIXED_FMA + 1, .mul = 1, .add = MIXED_ADD + 1, .other = MIXED_OTHER},
};
