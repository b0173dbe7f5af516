// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its reference has a constructor, which would run in the
 * lab's own process. Status: skipped */
#ifdef REFERENCE
#include "kernel_reference.h"

static __attribute__((constructor)) void construct(void)
{
    __builtin_trap();
}

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

const struct oracle REFERENCE = {
    .op = "earlyref", .outputs = {"y"}, .elementwise = true, .row = row};

#else
#include "plain_kernel.h"

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {.op = "earlyref", .algorithm = "copy", .dtype = "f32", .run = run};
#endif
