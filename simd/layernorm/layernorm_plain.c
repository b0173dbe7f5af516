// SPDX-License-Identifier: MIT
/* y = (x - mean) / sqrt(variance + eps) gamma + beta, as it is usually written: moments_plain.c's
 * two loops and a third one, which compilers do vectorise.
 * Bound: none is proven for y; the moments have moments_plain.c's.
 * 8 flops, 8 compulsory bytes per element; it moves 16. */
// build: stored=f64
#include <math.h>

#include "kernel.h"
#include "storage.h"

static void layernorm_row(const struct job *j, size_t r)
{
    const float *x = (const float *)j->x + r * j->x_stride;
    float *y = (float *)j->y + r * j->y_stride;
    float sum = 0, squares = 0;
    for (size_t i = 0; i < j->n; i++) sum += x[i];
    float mean = sum / (float)j->n;
    for (size_t i = 0; i < j->n; i++) {
        float d = x[i] - mean;
        squares += d * d;
    }
    float rstd = 1 / sqrtf(squares / (float)j->n + j->eps);
    for (size_t i = 0; i < j->n; i++) {
        float t = (x[i] - mean) * rstd;
        if (j->gamma) t *= ((const float *)j->gamma)[i];
        if (j->beta) t += ((const float *)j->beta)[i];
        y[i] = t;
    }
    if (j->stats) {
        ((float *)j->stats)[2 * r] = mean;
        ((float *)j->stats)[2 * r + 1] = rstd;
    }
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) layernorm_row(j, r);
}

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = "plain",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 8,
    .bytes = 2 * sizeof(float),
    .lanes = 1,
    .chains = 0,
    .promise = {.specials = true},
    .run = run,
    .also = &(const struct second_form){.op = "layernorm_bare",
                                        .flops = 6,
                                        .promise = {.specials = true}},
};
