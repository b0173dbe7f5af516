// SPDX-License-Identifier: MIT
/* y = 0.3 x + 0.7: an existing function f(x, y, n), with the additions that measuring it takes.
 *
 *     make run KERNELS=scripts/examples/affine_plain.c RUN='--filter op=affine'
 *     build/ulplab scan affine          (every float, since its reference says .unary)
 *
 * |error| <= u (|0.3 x| + |y|), or half an ulp if it is fused. 2 flops, 8 bytes per element. */
#ifdef REFERENCE
#include <math.h>

#include "kernel_reference.h"

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p;
    for (size_t i = 0; i < n; i++) y[i] = (double)0.3f * x[i] + (double)0.7f;
    facts->floor[0] = 0.7f; /* near x = -7/3 the two terms cancel */
}

const struct oracle REFERENCE = {
    .op = "affine",
    .outputs = {"y"},
    .elementwise = true,
    .unary = true,
    .domain = DOMAIN_MOMENTS,
    .row = row,
};

#else
#include "plain_kernel.h"

void affine(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = 0.3f * x[i] + 0.7f;
}

static void run(const struct job *j)
{
    plain_rows(j, affine);
}

const struct kernel KERNEL = {
    .op = "affine",
    .algorithm = "plain",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 2,
    .bytes = 8,
    .run = run,
};
#endif
