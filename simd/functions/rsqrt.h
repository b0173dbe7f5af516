// SPDX-License-Identifier: MIT
/* rsqrt(x) = 1 / sqrt(x): y = 1 / s, s = sqrt(x), and one Newton step, y + y/2 (1 - x y^2), whose
 * remainder FMAs compute nearly exactly. The instructions give the right results for zeros,
 * infinity and negative numbers: a y that is not finite and positive is not changed. */
#ifndef RSQRT_H
#define RSQRT_H

#include <math.h>

#include "vec.h"

enum { RSQRT_FLOPS = 13 };

static inline vf v_rsqrt(vf x)
{
    vf one = v_set1(1.0f), y = v_div(one, v_sqrt(x)), s = v_mul(x, y);
    vf low = v_fma(x, y, v_sub(v_set1(0.0f), s));
    vf rest = v_fnma(low, y, v_fnma(s, y, one));
    vf better = v_fma(v_mul(y, v_set1(0.5f)), rest, y);
    vm positive = m_and(v_lt(v_set1(0.0f), x), v_lt(x, v_set1(INFINITY)));
    return v_select(positive, better, y);
}

#endif
