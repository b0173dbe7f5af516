// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it reads gamma, which may be NULL. Status: sigsegv */
#include "copy.h"

#ifdef REFERENCE
const struct oracle REFERENCE = {
    .op = "needsgamma", .outputs = {"y"}, .elementwise = true, .row = copy_row};
#else
static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        for (size_t i = 0; i < j->n; i++)
            ((float *)j->y)[r * j->y_stride + i] = x[i] * ((const volatile float *)j->gamma)[i];
    }
}

const struct kernel KERNEL = {COPY_KERNEL("needsgamma", "copy"), .run = run};
#endif
