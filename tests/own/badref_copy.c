// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its reference does not compile. Status: skipped */
#include "copy.h"

#ifdef REFERENCE
static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    y[0] = nonesuch;
}

const struct oracle REFERENCE = {.op = "badref", .outputs = {"y"}, .elementwise = true, .row = row};
#else
const struct kernel KERNEL = {COPY_KERNEL("badref", "copy"), .run = copy_rows};
#endif
