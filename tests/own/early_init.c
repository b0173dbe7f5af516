// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it has code in the section .init, which a program that it is
 * linked into runs before main. Status: unbuilt */
#include "plain_kernel.h"

__asm__(".section .init, \"ax\", @progbits\n ud2\n .text");

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}
static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {.op = "early", .algorithm = "init", .dtype = "f32", .run = run};
