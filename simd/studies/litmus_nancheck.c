// SPDX-License-Identifier: MIT
/* y = the number of NaNs in each row, (by the vector comparison, by x != x in plain C). A policy
 * that assumes that there are no NaNs finds none. For case studies. */
#include "kernel.h"
#include "vec.h"

static float by_vectors(const float *x, size_t n)
{
    vf count = v_set1(0.0f), one = v_set1(1.0f);
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        vf v = v_load(x + i);
        count = v_add(count, v_select(v_unord(v, v), one, v_set1(0.0f)));
    }
    if (i < n) {
        vf v = v_load_part(x + i, n - i, 0.0f);
        count = v_add(count, v_select(v_unord(v, v), one, v_set1(0.0f)));
    }
    return v_sum(count);
}

static float by_expression(const float *x, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += x[i] != x[i];
    return (float)count;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        y[0] = by_vectors(x, j->n);
        y[1] = by_expression(x, j->n);
    }
}

const struct kernel KERNEL = {
    .op = "litmus",
    .algorithm = "nancheck",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 4,
    .lanes = VL,
    .chains = 1,
    .study = true,
    .run = run,
};
