// SPDX-License-Identifier: MIT
/* y = (sum, compensated sum) of each row: TwoSum (Knuth 1969) in each lane, with the errors summed
 * separately. In real arithmetic the error terms are 0, and a policy that allows reassociation
 * deletes them. The compensated sum is right to an ulp or so while n u is small; the plain one to n
 * / VL u. For case studies. */
#include "kernel.h"
#include "vec.h"

struct compensated {
    vf sum, error;
};

static inline struct compensated two_sum(struct compensated c, vf x)
{
    vf sum = v_add(c.sum, x), x_rounded = v_sub(sum, c.sum), s_rounded = v_sub(sum, x_rounded);
    vf error = v_add(v_sub(c.sum, s_rounded), v_sub(x, x_rounded));
    return (struct compensated){sum, v_add(c.error, error)};
}

/* Adds up the lanes in plain C, compensated in the same way. */
static void store_sums(struct compensated c, float *y)
{
    float sums[VL], errors[VL], sum = 0, error = 0;
    v_store(sums, c.sum);
    v_store(errors, c.error);
    y[0] = v_sum(c.sum);
    for (size_t k = 0; k < VL; k++) {
        float next = sum + sums[k], x_rounded = next - sum, s_rounded = next - x_rounded;
        error += (sum - s_rounded) + (sums[k] - x_rounded);
        error += errors[k];
        sum = next;
    }
    y[1] = sum + error;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        struct compensated c = {v_set1(0.0f), v_set1(0.0f)};
        size_t i = 0;
        for (; i + VL <= j->n; i += VL) c = two_sum(c, v_load(x + i));
        if (i < j->n) c = two_sum(c, v_load_part(x + i, j->n - i, 0.0f));
        store_sums(c, (float *)j->y + r * j->y_stride);
    }
}

const struct kernel KERNEL = {
    .op = "litmus",
    .algorithm = "twosum",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 7,
    .bytes = 4,
    .lanes = VL,
    .chains = 1,
    .study = true,
    .run = run,
};
