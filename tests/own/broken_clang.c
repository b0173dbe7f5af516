// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: clang rejects it, gcc does not. Status with clang: unbuilt */
#include "plain_kernel.h"

#ifdef __clang__
#error "this kernel is not for clang"
#endif

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {
    .op = "broken",
    .algorithm = "clang",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 1,
    .bytes = 8,
    .run = run,
};
