// SPDX-License-Identifier: MIT
/* y = max x + log(sum_j exp(x_j - max x)), as it is usually written: see softmax_plain.c.
 * Bound: BOUND_LOGSUMEXP_SHIFTED (docs/method.md), with h = n - 1: the sum is sequential.
 * 22 flops, 4 bytes per element; it moves 8. */
// build: stored=f64
#include <math.h>

#include "kernel.h"
#include "storage.h"
#include "scanned.h"

static float logsumexp_row(const float *x, size_t n)
{
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > max) max = x[i];
    if (!isfinite(max)) max = 0; /* then the exponentials produce the infinity or the NaN */
    for (size_t i = 0; i < n; i++) sum += expf(x[i] - max);
    return max + logf(sum);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        ((float *)j->y)[r * j->y_stride] =
            logsumexp_row((const float *)j->x + r * j->x_stride, j->n);
}

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "plain",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_LIBRARY,
    .expressions = true,
    .flops = 22,
    .bytes = sizeof(float),
    .lanes = 1,
    .chains = 0,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .exp_ulp = GLIBC_EXP_ULP,
    .log_ulp = GLIBC_LOG_ULP,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
