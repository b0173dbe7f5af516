/* What functions of one element share. No order of additions is involved: one bit pattern needs
 * only that each operation rounds where it is written (exact_ops.h), and that special values are
 * chosen by integers. */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

#include "exact_ops.h"

#ifndef ALGORITHM
#define ALGORITHM "invariant"
#endif

/* An integer in all lanes that compilers keep: of one that they know, gcc makes a vector anew in
 * every iteration. */
static inline vi kept_set1(int32_t a) { return v_bits(keep(v_float(vi_set1(a)))); }

/* All ones in the lanes where a < b, both of one sign or near zero: b - a must not overflow. */
static inline vi bits_less(vi a, vi b) { return vi_sar(vi_sub(a, b), 31); }
/* a where the mask is all ones, b where it is 0. A selection of floats would not do: -ffast-math
 * may take a NaN that is chosen for something that cannot be. */
static inline vi choose_bits(vi mask, vi a, vi b)
{
    return vi_or(vi_and(mask, a), vi_and(vi_sub(vi_set1(-1), mask), b));
}

#endif
