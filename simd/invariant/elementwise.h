// SPDX-License-Identifier: MIT
/* Helpers of functions of one element. They add nothing up, so that one bit pattern needs only that
 * each operation rounds where it is written (exact_ops.h), and that special values are selected by
 * integers. */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "exact_ops.h"

#ifndef ALGORITHM
#define ALGORITHM "invariant"
#endif

/* Returns a in all lanes, through a barrier: gcc would rebuild a constant that it knows in every
 * iteration of a loop. */
static inline vi kept_set1(int32_t a) { return v_bits(keep(v_float(vi_set1(a)))); }

/* Returns all ones in the lanes where a < b. Both must have one sign or be near zero, so that b - a
 * does not overflow. */
static inline vi bits_less(vi a, vi b) { return vi_sar(vi_sub(a, b), 31); }
/* Returns a where the mask is all ones, and b where it is 0. Selecting floats would not be safe:
 * -ffast-math may assume that a selected NaN cannot occur. */
static inline vi choose_bits(vi mask, vi a, vi b)
{
    return vi_or(vi_and(mask, a), vi_and(vi_sub(vi_set1(-1), mask), b));
}

#endif
