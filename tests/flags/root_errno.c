// SPDX-License-Identifier: MIT
/* y = a polynomial of sqrt(x). Below 0, sqrtf() sets errno, for which the loop needs a call; with
 * -fno-math-errno it is vectorised, and no other flag changes its speed by much. Products and sums
 * are written as FMAs. */
#ifdef REFERENCE
#include <math.h>

#include "kernel_reference.h"

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(x[i]), sum = fma(r, 0.5, r);
        for (int k = 0; k < 8; k++) sum = fma(sum, 0.5, r);
        y[i] = sum;
    }
}

const struct oracle REFERENCE = {
    .op = "root",
    .outputs = {"y"},
    .elementwise = true,
    .unary = true,
    .sign_certain = true,
    .domain = DOMAIN_POSITIVE,
    .row = row,
};

#else
#include <math.h>

#include "plain_kernel.h"

static void root(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float r = sqrtf(x[i]), sum = __builtin_fmaf(r, 0.5f, r);
        sum = __builtin_fmaf(__builtin_fmaf(sum, 0.5f, r), 0.5f, r);
        sum = __builtin_fmaf(__builtin_fmaf(sum, 0.5f, r), 0.5f, r);
        sum = __builtin_fmaf(__builtin_fmaf(sum, 0.5f, r), 0.5f, r);
        sum = __builtin_fmaf(__builtin_fmaf(sum, 0.5f, r), 0.5f, r);
        y[i] = sum;
    }
}

static void run(const struct job *j)
{
    plain_rows(j, root);
}

const struct kernel KERNEL = {
    .op = "root",
    .algorithm = "errno",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 19,
    .bytes = 8,
    .run = run,
};
#endif
