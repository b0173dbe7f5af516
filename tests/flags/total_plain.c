// SPDX-License-Identifier: MIT
/* The sum of a row, in order: only -fassociative-math, with the flags that it requires, makes it
 * faster. */
#ifndef OP /* kahan_sum.c has another one */
#define OP "total"
#define COMPENSATED 0
#endif

#ifdef REFERENCE
#include <math.h>

#include "kernel_reference.h"

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p;
    long double sum = 0, magnitude = 0;
    for (size_t i = 0; i < n; i++) sum += x[i], magnitude += fabsf(x[i]);
    for (size_t i = 0; i < n; i++) facts->squares += (double)x[i] * x[i];
    y[0] = (double)sum;
    facts->floor[0] = (double)magnitude;
}

const struct oracle REFERENCE = {
    .op = OP,
    .outputs = {"y"},
    .columns = 1,
    .domain = DOMAIN_MOMENTS,
    .row = row,
};

#else
#include "plain_kernel.h"

static float total(const float *x, size_t n)
{
    float sum = 0, compensation = 0;
    for (size_t i = 0; i < n && COMPENSATED; i++) {
        const float y = x[i] - compensation, t = sum + y;
        compensation = (t - sum) - y;
        sum = t;
    }
    for (size_t i = 0; i < n && !COMPENSATED; i++) sum += x[i];
    return sum;
}

static void run(const struct job *j)
{
    plain_values(j, total);
}

const struct kernel KERNEL = {
    .op = OP,
    .algorithm = "plain",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 4,
    .run = run,
};
#endif
