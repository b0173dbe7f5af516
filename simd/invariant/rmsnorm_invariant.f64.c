// SPDX-License-Identifier: MIT
/* y = x rstd gamma of doubles, rstd = 1 / sqrt(mean of x^2 + eps), with one bit pattern on every
 * ISA, compiler and policy (rows_f64.h). Beyond |x| = 1.3e154 squares overflow, and y is 0.
 * 4 flops, 16 bytes per element. */
#include "invariant/rows_f64.h"

static void apply(const struct job *j, size_t r, double rstd)
{
    const element *x = row_of(j, r);
    element *y = (element *)j->y + r * j->y_stride;
    const double *gamma = (const double *)(const void *)j->gamma;
    const vf scale = v_set1(rstd);
    const size_t n = j->n;
    size_t i = 0;
    for (; i + VL <= n; i += VL)
        y_store(y + i, e_mul(e_mul(x_load(x + i), scale), parameter(gamma, i, 1.0)));
    const size_t left = n - i;
    vf t = e_mul(x_load_part(x + i, left, 0.0), scale);
    y_store_part(y + i, e_mul(t, parameter_part(gamma, i, left, 1.0)), left);
}

/* Makes the NaNs of a row canonical. */
static void settle(element *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = d_canonical(d_keep(y[i]));
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const double count = d_count(j->n);
        const double squares = row_sums_of(row_of(j, r), j->n, 0.0, SQUARES).squares;
        const double rstd = d_rstd(d_div(squares, count), (double)j->eps);
        apply(j, r, rstd);
        if (!d_is_finite(squares)) settle((element *)j->y + r * j->y_stride, j->n);
        if (j->stats) ((double *)(void *)j->stats)[r] = rstd;
    }
}

const struct kernel KERNEL = {
    .op = "rmsnorm",
    .algorithm = "invariant",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = PARTS,
    .bound = BOUND_RMS,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.fma = 1, .mul = 2},
};
