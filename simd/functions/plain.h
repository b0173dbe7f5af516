// SPDX-License-Identifier: MIT
/* The exponents of a softmax or logsumexp without a scale, for softmax.h and logsumexp.h: s = x. */
#ifndef PLAIN_H
#define PLAIN_H

#include "row.h"

static inline vf score(vf x, const struct row_context *c)
{
    (void)c;
    return x;
}
static inline vf shifted(vf x, const struct row_context *c) { return v_sub(x, c->max); }

#endif
