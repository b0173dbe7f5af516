// SPDX-License-Identifier: MIT
/* An elementwise kernel: y[i] = y_of(x[i]). The including file has defined vf y_of(vf x). */
#ifndef UNARY_H
#define UNARY_H

#include "row.h"

static inline vf unary_value(vf x, const struct row_context *c)
{
    (void)c;
    return y_of(x);
}
static inline void unary_row(const struct job *j, const element *x, element *y)
{
    row_map(x, y, j->n, unary_value, NULL);
}

#endif
