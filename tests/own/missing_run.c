// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it leaves .run out. Status: unbuilt */
#include "plain_kernel.h"

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {
    .op = "missing",
    .algorithm = "run",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
};
