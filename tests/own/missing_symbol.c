// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it exports another name than KERNEL. Status: unbuilt */
#include "plain_kernel.h"

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel MY_KERNEL = {
    .op = "missing",
    .algorithm = "symbol",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
    .run = run,
};
