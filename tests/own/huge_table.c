// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it has so much static data that a program cannot hold that of all
 * builds. Status: unbuilt */
#include "copy.h"

float huge_table[1 << 28];

static void keep(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = huge_table[i] = x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, keep);
}

const struct kernel KERNEL = {COPY_KERNEL("huge", "table"), .run = run};
