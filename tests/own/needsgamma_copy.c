// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it reads gamma, which may be NULL. Status: sigsegv */
#ifdef REFERENCE
#include "kernel_reference.h"

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

const struct oracle REFERENCE = {
    .op = "needsgamma", .outputs = {"y"}, .elementwise = true, .row = row};

#else
#include "plain_kernel.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        for (size_t i = 0; i < j->n; i++)
            ((float *)j->y)[r * j->y_stride + i] = x[i] * ((const volatile float *)j->gamma)[i];
    }
}

const struct kernel KERNEL = {
    .op = "needsgamma",
    .algorithm = "copy",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
    .run = run,
};
#endif
