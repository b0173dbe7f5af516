// SPDX-License-Identifier: MIT
/* The special values of a logarithm of any base. */
#ifndef LOG_SPECIAL_H
#define LOG_SPECIAL_H

#include <math.h>

#include "vec.h"

/* Returns the logarithm of every x, given a function for positive finite x: zeros give -inf,
 * negative numbers NaN, +inf and NaN themselves. */
static inline __attribute__((always_inline)) vf v_log_special(vf x, vf (*log_positive)(vf))
{
    vf zero = v_set1(0.0f), inf = v_set1(INFINITY);
    vf low = v_select(v_eq(x, zero), v_set1(-INFINITY), v_set1(NAN));
    vf y = v_select(v_le(x, zero), low, log_positive(x));
    return v_select(v_lt(x, inf), y, x);
}

#endif
