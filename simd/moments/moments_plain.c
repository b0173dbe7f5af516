// SPDX-License-Identifier: MIT
/* mean = sum(x) / n;  variance = sum((x - mean)^2) / n, as it is usually written: two loops in C.
 * No compiler may vectorise these sums unless it may reassociate. Under off, on, fast and default
 * each addition waits for the one before it, so that reassoc and fastmath gain more here than
 * anywhere else.
 * Bound: BOUND_VARIANCE_TWOPASS (docs/method.md).
 * 4 flops, 4 bytes per element. */
// build: stored=f64
#include "kernel.h"
#include "storage.h"

static void moments_row(const float *x, size_t n, float *y)
{
    float sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    float mean = sum / (float)n;
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - mean;
        squares += d * d;
    }
    y[0] = mean;
    y[1] = squares / (float)n;
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        moments_row((const float *)j->x + r * j->x_stride, j->n, (float *)j->y + r * j->y_stride);
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "plain",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 4,
    .bytes = sizeof(float),
    .lanes = 1,
    .chains = 0,
    .bound = BOUND_VARIANCE_TWOPASS,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
