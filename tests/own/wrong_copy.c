// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its results are off by 1 in 1000, and it promises 1 ulp. Status:
 * wrong */
#ifdef REFERENCE
#include "kernel_reference.h"

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

const struct oracle REFERENCE = {.op = "wrong", .outputs = {"y"}, .elementwise = true, .row = row};

#else
#include "plain_kernel.h"

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = 1.001f * x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {
    .op = "wrong",
    .algorithm = "copy",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
    .promise = {.ulp_off = 1, .ulp_fused = 1},
    .run = run,
};
#endif
