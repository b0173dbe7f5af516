// SPDX-License-Identifier: MIT
/* A softmax in one pass over x that rescales its sum by exp(-inf - -inf), a NaN, if a row begins
 * with masked elements, although it promises correct special values. Status: wrong */
#include <math.h>

#include "plain_kernel.h"

static void softmax(const float *x, float *y, size_t n)
{
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        float before = max;
        max = fmaxf(max, x[i]);
        sum = sum * expf(before - max) + expf(x[i] - max);
    }
    for (size_t i = 0; i < n; i++) y[i] = expf(x[i] - max) / sum;
}

static void run(const struct job *j)
{
    plain_rows(j, softmax);
}

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "lazy",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 4,
    .bytes = 8,
    .promise = {.specials = true},
    .run = run,
};
