// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it calls an undefined function. Status: unbuilt */
#include "copy.h"

float nonesuch(float x);

static void call(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = nonesuch(x[i]);
}

static void run(const struct job *j)
{
    plain_rows(j, call);
}

const struct kernel KERNEL = {COPY_KERNEL("missing", "call"), .run = run};
