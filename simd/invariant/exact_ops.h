// SPDX-License-Identifier: MIT
/* Operations that round once, whatever the compiler and its flags. Each is one instruction whose
 * result goes through keep(), an empty asm: no policy can fuse, split or reorder operations across
 * it or assume anything about its result, and it costs no instruction. Constants go through it,
 * too: otherwise they would be folded. Division and square root are written as instructions,
 * because -ffast-math replaces them by approximations with a Newton step. Special values are
 * detected by integer comparisons, because -ffast-math deletes comparisons that only a NaN fails.
 *
 * Prefixes name the operand: i_ is a vector of floats, vd_ a vector of doubles (invariant_isa.h),
 * f_ a float, d_ a double (d_div and d_sqrt are in registers.h). */
#ifndef EXACT_OPS_H
#define EXACT_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "invariant_isa.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

/* ---- Vectors of floats ----------------------------------------------------------------------- */

static inline vf i_set1(float a) { return keep(v_set1(a)); }
static inline vf i_add(vf a, vf b) { return keep(v_add(a, b)); }
static inline vf i_sub(vf a, vf b) { return keep(v_sub(a, b)); }
static inline vf i_mul(vf a, vf b) { return keep(v_mul(a, b)); }
static inline vf i_fma(vf a, vf b, vf c) { return keep(v_fma(a, b, c)); }

/* ---- Scalars, for what happens once per row or block ----------------------------------------- */

static inline float f_keep(float a)
{
    __asm__("" : "+x"(a));
    return a;
}
static inline double d_keep(double a)
{
    __asm__("" : "+x"(a));
    return a;
}
static inline float f_sub(float a, float b) { return f_keep(f_keep(a) - f_keep(b)); }
static inline float f_mul(float a, float b) { return f_keep(f_keep(a) * f_keep(b)); }
static inline float f_fma(float a, float b, float c)
{
    return f_keep(__builtin_fmaf(f_keep(a), f_keep(b), f_keep(c)));
}
static inline double d_add(double a, double b) { return d_keep(d_keep(a) + d_keep(b)); }
static inline double d_sub(double a, double b) { return d_keep(d_keep(a) - d_keep(b)); }
static inline double d_mul(double a, double b) { return d_keep(d_keep(a) * d_keep(b)); }
static inline double d_fma(double a, double b, double c)
{
    return d_keep(__builtin_fma(d_keep(a), d_keep(b), d_keep(c)));
}
/* Conversions. Barriers on both sides keep them where they are written. */
static inline double d_of(float a) { return d_keep((double)f_keep(a)); }
static inline float f_of(double a) { return f_keep((float)d_keep(a)); }
static inline double d_count(size_t n) { return d_keep((double)(ptrdiff_t)n); }

/* ---- Bits ------------------------------------------------------------------------------------ */

static inline uint32_t f_bits(float a)
{
    uint32_t b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline float f_from_bits(uint32_t b)
{
    float a;
    __builtin_memcpy(&a, &b, sizeof a);
    return f_keep(a);
}
static inline uint64_t d_bits(double a)
{
    uint64_t b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline double d_from_bits(uint64_t b)
{
    double a;
    __builtin_memcpy(&a, &b, sizeof a);
    return d_keep(a);
}

enum { INFINITY_BITS = 0x7f800000, NAN_BITS = 0x7fc00000, MAGNITUDE = 0x7fffffff };
static inline int f_is_nan(float a) { return (f_bits(a) & MAGNITUDE) > INFINITY_BITS; }
static inline int f_is_finite(float a) { return (f_bits(a) & MAGNITUDE) < INFINITY_BITS; }
static inline int d_is_finite(double a) { return (d_bits(a) << 1) < 0xffe0000000000000u; }

/* The kinds of special values that a row holds. */
struct specials {
    int nan, plus_infinity, minus_infinity;
};
static inline void specials_add(struct specials *c, float a)
{
    uint32_t b = f_bits(a);
    c->nan |= (b & MAGNITUDE) > INFINITY_BITS;
    c->plus_infinity |= b == INFINITY_BITS;
    c->minus_infinity |= b == (INFINITY_BITS | 0x80000000u);
}

#endif
