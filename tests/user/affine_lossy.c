// SPDX-License-Identifier: MIT
/* y = 0.3 x + 0.7, but NaN for x = 1: one finite result is lost (tests/test_build.c). Its reference
 * is that of affine_short.c. */
#include "plain_kernel.h"

static void affine_but_one(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] == 1 ? 0.0f / 0.0f : 0.3f * x[i] + 0.7f;
}

static void run(const struct job *j)
{
    plain_rows(j, affine_but_one);
}

const struct kernel KERNEL = {
    .op = "affine",
    .algorithm = "lossy",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 2,
    .bytes = 8,
    .run = run,
};
