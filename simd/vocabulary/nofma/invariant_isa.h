// SPDX-License-Identifier: MIT
/* The operations that simd/invariant needs of an ISA, for one lane without AVX and FMA.
 * scalar/one_lane.h and invariant/registers.h define each name. They guard divisions and
 * comparisons against -ffast-math by assembly. This is C: only libulp is built for this ISA, and
 * never with such flags. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

typedef double dr; /* a register of doubles */

static inline vf keep(vf a)
{
    __asm__("" : "+x"(a));
    return a;
}
static inline dr keep_dr(dr a)
{
    __asm__("" : "+x"(a));
    return a;
}

static inline vf i_fma_onto(vf sum, vf a, vf b) { return keep(v_fma(keep(a), keep(b), keep(sum))); }
static inline vf i_max(vf a, vf b) { return keep(a > b ? a : b); }

static inline dr dr_add(dr a, dr b) { return keep_dr(a + b); }
static inline dr dr_sub(dr a, dr b) { return keep_dr(a - b); }
static inline dr dr_mul(dr a, dr b) { return keep_dr(a * b); }
static inline dr dr_div(dr a, dr b) { return keep_dr(keep_dr(a) / keep_dr(b)); }
static inline dr dr_max(dr a, dr b) { return keep_dr(a > b ? a : b); }
static inline dr dr_sqrt(dr a)
{
    __m128d v = _mm_set_sd(keep_dr(a));
    return keep_dr(_mm_cvtsd_f64(_mm_sqrt_sd(v, v)));
}
static inline unsigned dr_at_most(dr a, dr b) { return a <= b; }
static inline double d_div(double a, double b) { return dr_div(a, b); }
static inline double d_sqrt(double a) { return dr_sqrt(a); }

#include "../scalar/one_lane.h"

#endif
