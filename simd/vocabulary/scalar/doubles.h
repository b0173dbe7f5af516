// SPDX-License-Identifier: MIT
/* Operations on registers of doubles (dr, invariant_isa.h) and on their lanes as 64-bit integers
 * (dl), for simd/correct. Each name is defined here; avx2/doubles.h and avx512/doubles.h do the
 * same in every lane. Results of arithmetic go through keep_dr(), as in exact_ops.h. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include "invariant_isa.h"

typedef int64_t dl;

static inline dr dr_set1(double a) { return a; }
static inline dr dr_fma(dr a, dr b, dr c) { return keep_dr(__builtin_fma(a, b, c)); }

static inline dl dl_set1(int64_t a) { return a; }
static inline dl dl_add(dl a, dl b) { return (dl)((uint64_t)a + (uint64_t)b); }
static inline dl dl_sub(dl a, dl b) { return (dl)((uint64_t)a - (uint64_t)b); }
static inline dl dl_and(dl a, dl b) { return a & b; }
static inline dl dl_or(dl a, dl b) { return a | b; }
static inline dl dl_xor(dl a, dl b) { return a ^ b; }
#define dl_shl(a, k) ((dl)((uint64_t)(a) << (k)))
#define dl_shr(a, k) ((dl)((uint64_t)(a) >> (k))) /* logical */

static inline dl dl_of(dr a)
{
    dl b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline dr dr_of_bits(dl a)
{
    dr b;
    __builtin_memcpy(&b, &a, sizeof b);
    return keep_dr(b);
}

/* f() of the lanes of floats, in double, and rounded to floats again. */
static inline __attribute__((always_inline)) vf vf_by_doubles(vf x, dr (*f)(dr))
{
    return vd_to(f(vd_of(x)));
}

/* Whether a lane is exactly in the middle between two normal floats. */
static inline int dr_any_middle(dr a) { return (dl_of(a) & (dl)0x1fffffff) == 0x10000000; }
/* vf_by_doubles(), and whether a double was in the middle between two floats. */
static inline __attribute__((always_inline)) vf vf_by_doubles_tested(vf x, dr (*f)(dr),
                                                                     int *is_middle)
{
    dr a = f(vd_of(x));
    *is_middle = dr_any_middle(a);
    return vd_to(a);
}

#endif
