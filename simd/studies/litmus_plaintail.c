// SPDX-License-Identifier: MIT
/* y = scale x + 1/3, with the body in vectors and the tail in plain C, as it is usually written. A
 * compiler that fuses expressions but not intrinsics gives an element one value in the body and
 * another in the tail. For case studies. */
#include "kernel.h"
#include "vec.h"

static const float third = 0x1.555556p-2f;

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        size_t i = 0;
        for (; i + VL <= j->n; i += VL)
            v_store(y + i, v_mad(v_load(x + i), v_set1(j->scale), v_set1(third)));
        for (; i < j->n; i++) y[i] = x[i] * j->scale + third;
    }
}

const struct kernel KERNEL = {
    .op = "litmus",
    .algorithm = "plaintail",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 2,
    .bytes = 8,
    .lanes = VL,
    .chains = 1,
    .study = true,
    .run = run,
};
