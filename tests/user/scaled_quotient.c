// SPDX-License-Identifier: MIT
/* y = 3 x / (eps - x) + 0.7: the quotient between the product and the sum leaves nothing to fuse
 * (tests/test_build.c). */
#include "kernel.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = 3 * x[i] / (j->eps - x[i]) + 0.7f;
    }
}

const struct kernel KERNEL = {
    .op = "scaled",
    .algorithm = "quotient",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 4,
    .bytes = 8,
    .run = run,
};
