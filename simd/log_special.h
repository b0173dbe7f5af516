/* The special values of a logarithm of any base. */
#ifndef LOG_SPECIAL_H
#define LOG_SPECIAL_H

#include <math.h>

#include "vec.h"

/* y where x is positive and finite. Zeros give -inf, negative numbers NaN, +inf and NaN themselves. */
static inline vf v_log_special(vf x, vf y)
{
    vf zero = v_set1(0.0f), inf = v_set1(INFINITY);
    vf low = v_select(v_eq(x, zero), v_set1(-INFINITY), v_set1(NAN));
    return v_select(v_lt(x, inf), v_select(v_le(x, zero), low, y), x);
}

#endif
