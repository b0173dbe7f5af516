// SPDX-License-Identifier: MIT
/* y = sum a_i b_i, as it is usually written: a row is a, then b (an odd element is ignored).
 *
 *     make run KERNELS=scripts/examples/dot_plain.c RUN='--filter op=dot'
 *
 * |error| <= n / 2 u sum |a_i b_i|, with sequential additions; only -ffast-math and
 * -fassociative-math allow a compiler to vectorise them. 1 flop, 4 bytes per element of the row. */
#ifdef REFERENCE
#include <math.h>

#include "kernel_reference.h"

/* Products of floats are exact in double, and the sum has 64 bits. */
static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p;
    long double sum = 0, magnitude = 0;
    for (size_t i = 0; i < n / 2; i++) {
        double product = (double)x[i] * (double)x[n / 2 + i];
        sum += product;
        magnitude += fabs(product);
    }
    y[0] = (double)sum;
    facts->floor[0] = (double)magnitude; /* terms may cancel: the error in ULP has no bound */
}

const struct oracle REFERENCE = {
    .op = "dot",
    .outputs = {"y"},
    .columns = 1,
    .domain = DOMAIN_MOMENTS,
    .row = row,
};

#else
#include "plain_kernel.h"

static float dot(const float *x, size_t n)
{
    const float *a = x, *b = x + n / 2;
    float sum = 0;
    for (size_t i = 0; i < n / 2; i++) sum += a[i] * b[i];
    return sum;
}

static void run(const struct job *j)
{
    plain_values(j, dot);
}

const struct kernel KERNEL = {
    .op = "dot",
    .algorithm = "plain",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 4,
    .run = run,
};
#endif
