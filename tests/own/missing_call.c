// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it calls an undefined function. Status: unbuilt */
#include "plain_kernel.h"

float nonesuch(float x);

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = nonesuch(x[i]);
}

static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {
    .op = "missing",
    .algorithm = "call",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
    .run = run,
};
