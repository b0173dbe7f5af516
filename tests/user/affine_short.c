// SPDX-License-Identifier: MIT
/* y = 0.3 x + 0.7. Rows shorter than a vector are computed in one expression, which a policy may
 * fuse, longer ones in two passes, which no policy can fuse: builds differ in short rows alone
 * (tests/test_build.c). */
#ifdef REFERENCE
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
    if (n < 8) {
        for (size_t i = 0; i < n; i++) y[i] = 0.3f * x[i] + 0.7f;
    } else {
        for (size_t i = 0; i < n; i++) y[i] = 0.3f * x[i];
        for (size_t i = 0; i < n; i++) y[i] += 0.7f;
    }
}

static void run(const struct job *j)
{
    plain_rows(j, affine);
}

const struct kernel KERNEL = {
    .op = "affine",
    .algorithm = "short",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 2,
    .bytes = 8,
    .run = run,
};
#endif
