// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it reads one element past the row. Status: sigsegv */
#include "copy.h"

#ifdef REFERENCE
const struct oracle REFERENCE = {
    .op = "overread", .outputs = {"y"}, .elementwise = true, .row = copy_row};
#else
static volatile float beyond;

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        for (size_t i = 0; i < j->n; i++) ((float *)j->y)[r * j->y_stride + i] = x[i];
        beyond = x[j->n];
    }
}

const struct kernel KERNEL = {COPY_KERNEL("overread", "copy"), .run = run};
#endif
