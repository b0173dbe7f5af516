// SPDX-License-Identifier: MIT
/* Two passes over a row: its mean, then the squares around it. */
#ifndef TWOPASS_H
#define TWOPASS_H

#include "sums.h"

static inline struct moments twopass(const element *x, size_t n)
{
    float mean = row_sums(x, n, 0.0f).d / to_float(n);
    return (struct moments){mean, row_sums(x, n, mean).dd / to_float(n)};
}

#endif
