// SPDX-License-Identifier: MIT
/* The operations that simd/correct's rows need of an ISA beside invariant_isa.h. A register `dr`
 * holds DOUBLES doubles: here one. */
#ifndef ROWS_ISA_H
#define ROWS_ISA_H

#include "invariant_isa.h"

enum { DOUBLES = 1 };
static inline dr dr_set1(double a) { return a; }
static inline dr dr_fma(dr a, dr b, dr c) { return keep_dr(__builtin_fma(a, b, c)); }
static inline dr dr_load(const double *p) { return keep_dr(*p); }
static inline void dr_store(double *p, dr a) { *p = a; }
/* Loads floats, at any alignment. dr_of_first() touches n <= DOUBLES of them, and puts `fill` into
 * the other lanes. */
static inline dr dr_of_floats(const float *p) { return keep_dr((double)keep(*p)); }
static inline dr dr_of_first(const float *p, size_t n, float fill)
{
    return keep_dr((double)keep(n ? *p : fill));
}

static inline uint64_t dr_bits(dr a)
{
    uint64_t b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline dr dr_from_bits(uint64_t b)
{
    dr a;
    __builtin_memcpy(&a, &b, sizeof a);
    return keep_dr(a);
}
static inline dr dr_abs(dr a) { return dr_from_bits(dr_bits(a) & ~(UINT64_C(1) << 63)); }
/* Returns a 2^k for the integer k in the lowest bits of z; a and the result must be normal. */
static inline dr dr_scaled(dr a, dr z) { return dr_from_bits(dr_bits(a) + (dr_bits(z) << 52)); }
/* Returns a, but 0 in lanes where d is 0. */
static inline dr dr_unless_zero(dr d, dr a) { return dr_bits(d) << 1 ? a : 0.0; }

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

#endif
