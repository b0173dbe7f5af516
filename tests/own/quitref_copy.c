// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its reference ends the process. Status: killed, reported for the
 * reference */
#include "copy.h"

#ifdef REFERENCE
#include <stdlib.h>

static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    (void)p, (void)facts;
    (void)x, (void)n, (void)y;
    _Exit(0);
}

const struct oracle REFERENCE = {
    .op = "quitref", .outputs = {"y"}, .elementwise = true, .row = row};
#else
const struct kernel KERNEL = {COPY_KERNEL("quitref", "copy"), .run = copy_rows};
#endif
