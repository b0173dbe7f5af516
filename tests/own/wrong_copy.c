// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its results are off by 1 in 1000, and it promises 1 ulp. Status:
 * wrong */
#include "copy.h"

#ifdef REFERENCE
const struct oracle REFERENCE = {
    .op = "wrong", .outputs = {"y"}, .elementwise = true, .row = copy_row};
#else
static void nearly(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = 1.001f * x[i];
}

static void run(const struct job *j)
{
    plain_rows(j, nearly);
}

const struct kernel KERNEL = {COPY_KERNEL("wrong", "copy"),
                              .promise = {.ulp_off = 1, .ulp_fused = 1}, .run = run};
#endif
