// SPDX-License-Identifier: MIT
/* A softmax that treats a NaN like a masked element, although it promises correct special values.
 * Status: wrong */
#include <math.h>

#include "plain_kernel.h"

static void softmax(const float *x, float *y, size_t n)
{
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) max = fmaxf(max, x[i]);
    for (size_t i = 0; i < n; i++) sum += y[i] = isnan(x[i]) ? 0 : expf(x[i] - max);
    for (size_t i = 0; i < n; i++) y[i] /= sum;
}

static void run(const struct job *j)
{
    plain_rows(j, softmax);
}

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "deaf",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 4,
    .bytes = 8,
    .promise = {.specials = true},
    .run = run,
};
