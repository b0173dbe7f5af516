// SPDX-License-Identifier: MIT
/* y_i = exp(x_i - max x) / sum_j exp(x_j - max x), as it is usually written: three loops in C, expf
 * from libm, sequential sums. It shows what a policy does to ordinary code: gcc vectorises only the
 * division under most policies, and everything under fastmath, with libmvec's expf of 4 ulp; clang
 * 14 has no vector expf of its own.
 * Bound: BOUND_SOFTMAX (docs/method.md), with h = n - 1: the sum is sequential.
 * 23 flops (the lab's count of an exp), 8 compulsory bytes per element; it moves 20. */
// build: stored=f64
#include <math.h>

#include "kernel.h"
#include "storage.h"
#include "scanned.h"

static void softmax_row(const float *x, float *y, size_t n, bool log_output)
{
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > max) max = x[i];
    for (size_t i = 0; i < n; i++) {
        y[i] = expf(x[i] - max);
        sum += y[i];
    }
    if (log_output) {
        float log_sum = logf(sum);
        for (size_t i = 0; i < n; i++) y[i] = x[i] - max - log_sum;
        return;
    }
    for (size_t i = 0; i < n; i++) y[i] /= sum;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        softmax_row((const float *)j->x + r * j->x_stride, (float *)j->y + r * j->y_stride, j->n,
                    j->log_output);
}

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "plain",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_LIBRARY,
    .expressions = true,
    .flops = 23,
    .bytes = 2 * sizeof(float),
    .lanes = 1,
    .chains = 0,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = GLIBC_EXP_ULP,
    .log_ulp = GLIBC_LOG_ULP,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 24,
            .promise = {.specials = true},
        },
};
