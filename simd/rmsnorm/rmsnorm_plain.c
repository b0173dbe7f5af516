// SPDX-License-Identifier: MIT
/* y = x / sqrt(mean of x^2 + eps) gamma, as it is usually written: two loops, of which compilers
 * vectorise only the second, unless -ffast-math lets them reorder the sum. Beyond |x| = 1.8e19
 * squares overflow, and y is 0. Bound: BOUND_RMS (docs/method.md), h = n - 1. 4 flops, 8 compulsory
 * bytes per element; it moves 12. */
// build: stored=f64
#include <math.h>

#include "kernel.h"
#include "storage.h"

static void rmsnorm_row(const struct job *j, size_t r)
{
    const float *x = (const float *)j->x + r * j->x_stride;
    float *y = (float *)j->y + r * j->y_stride;
    float squares = 0;
    for (size_t i = 0; i < j->n; i++) squares += x[i] * x[i];
    float rstd = 1 / sqrtf(squares / (float)j->n + j->eps);
    for (size_t i = 0; i < j->n; i++)
        y[i] = x[i] * rstd * (j->gamma ? ((const float *)j->gamma)[i] : 1);
    if (j->stats) ((float *)j->stats)[r] = rstd;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) rmsnorm_row(j, r);
}

const struct kernel KERNEL = {
    .op = "rmsnorm",
    .algorithm = "plain",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 4,
    .bytes = 2 * sizeof(float),
    .lanes = 1,
    .chains = 0,
    .bound = BOUND_RMS,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
