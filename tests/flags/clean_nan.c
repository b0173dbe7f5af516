// SPDX-License-Identifier: MIT
/* y = 2 x, and 0 for a NaN. Only -ffinite-math-only breaks it, and no flag makes it faster. */
#include <math.h>

#ifndef OP /* mask_nan.c has another one, and another right answer */
#define OP "clean"
#define OF_NAN 0
#endif

#ifdef REFERENCE
#include "kernel_reference.h"

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = x[i] != x[i] ? (double)OF_NAN : 2 * (double)x[i];
}

const struct oracle REFERENCE = {
    .op = OP,
    .outputs = {"y"},
    .elementwise = true,
    .unary = true,
    .sign_certain = true,
    .domain = DOMAIN_MOMENTS,
    .row = row,
};

#else
#include "plain_kernel.h"

static void clean(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] != x[i] ? 0 : 2 * x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, clean);
}

const struct kernel KERNEL = {
    .op = OP,
    .algorithm = "nan",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
    .run = run,
};
#endif
