// SPDX-License-Identifier: MIT
/* y = (x - mean) rstd gamma + beta of doubles, rstd = 1 / sqrt(variance + eps), with one bit
 * pattern on every ISA, compiler and policy (rows_f64.h). What the mean lost to rounding, `rest`,
 * comes back as rest rstd, fused with the product. 9 flops (5 + 4), 16 bytes per element. */
#include "invariant/rows_f64.h"

static inline vf y_of(const struct job *j, vf x, vf mean, vf rstd, vf offset, vf gamma, vf beta)
{
    vf t = e_fma(e_sub(x, mean), rstd, offset);
    return j->beta ? e_fma(t, gamma, beta) : e_mul(t, gamma);
}

static void apply(const struct job *j, size_t r, const struct row_moments *m, double rstd)
{
    const element *x = row_of(j, r);
    element *y = (element *)j->y + r * j->y_stride;
    const double *gamma = (const double *)(const void *)j->gamma;
    const double *beta = (const double *)(const void *)j->beta;
    const vf a = v_set1(m->mean), scale = v_set1(rstd), low = v_set1(d_keep(-m->rest * rstd));
    const size_t n = j->n;
    size_t i = 0;
    for (; i + VL <= n; i += VL)
        y_store(y + i, y_of(j, x_load(x + i), a, scale, low, parameter(gamma, i, 1.0),
                            parameter(beta, i, 0.0)));
    const size_t left = n - i;
    y_store_part(y + i,
                 y_of(j, x_load_part(x + i, left, 0.0), a, scale, low,
                      parameter_part(gamma, i, left, 1.0), parameter_part(beta, i, left, 0.0)),
                 left);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const struct row_moments m = row_moments_of(row_of(j, r), j->n);
        const double rstd = d_rstd(m.variance, (double)j->eps);
        element *y = (element *)j->y + r * j->y_stride;
        if (d_is_finite(m.mean) && d_is_finite(rstd))
            apply(j, r, &m, rstd);
        else
            for (size_t i = 0; i < j->n; i++) y[i] = d_nan();
        if (!j->stats) continue;
        ((double *)(void *)j->stats)[2 * r] = m.mean;
        ((double *)(void *)j->stats)[2 * r + 1] = rstd;
    }
}

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = "invariant",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 9,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = PARTS,
    .promise = {.specials = true},
    .run = run,
    .ops = {.fma = MOMENTS_FMA + 2, .add = MOMENTS_ADD + 1},
};
