// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its reference crashes. Status: sigsegv, reported for the
 * reference */
#include "copy.h"

#ifdef REFERENCE
static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    *(volatile double *)8 = x[n - 1] + y[0];
}

const struct oracle REFERENCE = {
    .op = "crashref", .outputs = {"y"}, .elementwise = true, .row = row};
#else
const struct kernel KERNEL = {COPY_KERNEL("crashref", "copy"), .run = copy_rows};
#endif
