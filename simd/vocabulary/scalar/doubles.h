// SPDX-License-Identifier: MIT
/* Operations on registers of doubles (dr, invariant_isa.h), DOUBLES lanes, here one, and on their
 * lanes as 64-bit integers (dl), for simd/correct. Each name is defined here; avx2/doubles.h and
 * avx512/doubles.h do the same in every lane, and doubles_any.h has what is made of them. Results
 * of arithmetic go through keep_dr(), as in exact_ops.h. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include "invariant_isa.h"

typedef int64_t dl;
enum { DOUBLES = 1 };

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

/* Returns a, but 0 in lanes where d is 0. */
static inline dr dr_unless_zero(dr d, dr a) { return dl_shl(dl_of(d), 1) != 0 ? a : 0.0; }

static inline dr dr_load(const double *p) { return keep_dr(*p); }
static inline void dr_store(double *p, dr a) { *p = a; }
/* Loads floats, at any alignment. dr_of_first() touches n <= DOUBLES of them, and puts `fill` into
 * the other lanes. */
static inline dr dr_of_floats(const float *p) { return keep_dr((double)keep(*p)); }
static inline dr dr_of_first(const float *p, size_t n, float fill)
{
    return keep_dr((double)keep(n ? *p : fill));
}

/* Stores `low`, rounded to floats, and returns a bit for each lane in which `high` is rounded to
 * other bits. dr_round_first() looks at n <= DOUBLES lanes alone. */
static inline unsigned dr_round(float *y, dr low, dr high)
{
    float a = keep((float)low), b = keep((float)high);
    uint32_t bits[2];
    __builtin_memcpy(&bits[0], &a, sizeof a);
    __builtin_memcpy(&bits[1], &b, sizeof b);
    *y = a;
    return bits[0] != bits[1];
}
static inline unsigned dr_round_first(float *y, dr low, dr high, size_t n)
{
    return n ? dr_round(y, low, high) : 0;
}

/* Returns the sum of the lanes: k and k + DOUBLES / 2, and so on. */
static inline double dr_sum(dr a) { return a; }
/* Returns f() of every lane. */
static inline __attribute__((always_inline)) vd vd_each(vd a, dr (*f)(dr)) { return f(a); }
/* Returns whether a lane is exactly in the middle between two normal floats. */
static inline int vd_any_middle(vd a) { return (dl_of(a) & (dl)0x1fffffff) == 0x10000000; }

#include "doubles_any.h"

#endif
