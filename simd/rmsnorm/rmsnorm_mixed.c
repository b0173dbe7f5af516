// SPDX-License-Identifier: MIT
/* y = x rstd gamma, rstd = 1 / sqrt(mean of x^2 + eps), of floats whose squares, exact in double,
 * are summed in double (mixed.h); x rstd is a double, too, so that nothing overflows or underflows
 * on the way. 4 flops, 8 bytes per element. */
#include "layernorm.h"
#include "mixed.h"

static inline vf mixed_scaled(vf x, double rstd, vf gamma)
{
    return v_mul(vd_to(vd_mul(vd_of(x), vd_set1(rstd))), gamma);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const element *x = row_of(j, r);
        element *y = (element *)j->y + r * j->y_stride;
        double mean = mixed_sum(x, j->n, 0, 1) / (double)(ptrdiff_t)j->n + (double)j->eps;
        double rstd = 1 / _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(mean)));
        size_t n = j->n, i = 0;
        for (; i + VL <= n; i += VL)
            y_store(y + i, mixed_scaled(x_load(x + i), rstd, parameter(j->gamma, i, 1.0f)));
        vf rest = x_load_part(x + i, n - i, 0.0f);
        y_store_part(y + i, mixed_scaled(rest, rstd, parameter_part(j->gamma, i, n - i, 1.0f)),
                     n - i);
        if (j->stats) j->stats[r] = (float)rstd;
    }
}

const struct kernel KERNEL = {
    .op = "rmsnorm",
    .algorithm = "mixed",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .bound = BOUND_RMS,
    .promise = {.specials = true, .bound = true},
    .run = run,
    /* Per vector of floats two of doubles: converted and squared; converted, multiplied, converted
     * back; gamma. */
    .ops = {.fma = 2, .mul = 3, .other = 2 + 2 + 2},
};
