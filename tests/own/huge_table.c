// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it has so much static data that a program cannot hold that of all
 * builds. Status: unbuilt */
#include "plain_kernel.h"

float huge_table[1 << 28];

static void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = huge_table[i] = x[i];
}
static void run(const struct job *j)
{
    plain_rows(j, copy);
}

const struct kernel KERNEL = {.op = "huge", .algorithm = "table", .dtype = "f32", .run = run};
