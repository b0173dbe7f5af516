// SPDX-License-Identifier: MIT
/* sin(x) and cos(x), z = |x| = k pi/2 + r, where |r| is at most pi/4 or slightly more. Depending on
 * k modulo 4, either result is one of
 *
 *   sin(r) = r + r^3 p(r^2),             p of degree 3: 0.0035 u relative
 *   cos(r) = 1 - r^2/2 + r^4 p(r^2),     p of degree 2: 0.0027 u relative
 *
 * or its negative. r is a pair of floats, and the rounding errors of r^2 and 1 - r^2/2 are added
 * back to cos(r).
 *
 *   z < 2^17: r = z - k pi/2, with pi/2 in three floats (Cody and Waite); by FMA, k times the first
 *             of them and the difference are exact.
 *   else:     turns.h computes the fraction of z / (2 pi) in 64 bits, for the whole vector.
 *
 * Coefficients: scripts/coefficients.sollya. */
#ifndef SINCOS_H
#define SINCOS_H

#include <math.h>

#include "exp_fma.h"
#include "turns.h"

static const struct {
    float turns, quarter[3], radians[2], s[4], c[3];
} sincos_k = {
    .turns = 0x1.45f306p-1f,
    .quarter = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f},
    .radians = {0x1.921fb6p-30f, -0x1.777a5cp-55f}, /* 2^-32 turns */
    .s = {-0x1.555556p-3f, 0x1.11116p-7f, -0x1.a0439cp-13f, 0x1.76878cp-19f},
    .c = {0x1.555548p-5f, -0x1.6c0b08p-10f, 0x1.999a6cp-16f},
};

enum { SINCOS_FLOPS = 48 };

struct angle {
    vf r, low; /* r + low */
    vf k;      /* quarter turns, modulo 4 */
};

/* Returns the angle of z < 2^17. The second product is split as well, and the second difference
 * keeps its rounding error (Knuth's TwoSum): next to a multiple of pi/2 it cancels what the first
 * one left. Barriers keep policies from fusing the product with the difference. */
static inline struct angle angle_small(vf z)
{
    vf k = v_round(v_mul(z, v_set1(sincos_k.turns))), quarter = v_set1(sincos_k.quarter[1]);
    vf high = v_fnma(k, v_set1(sincos_k.quarter[0]), z), p = v_barrier(v_mul(k, quarter));
    vf r = v_sub(high, p), t = v_sub(r, high);
    vf low = v_sub(v_sub(high, v_sub(r, t)), v_add(p, t));
    low = v_sub(low, v_fma(k, quarter, v_sub(v_set1(0.0f), p)));
    return (struct angle){r, v_fnma(k, v_set1(sincos_k.quarter[2]), low), k};
}

/* Returns the angle of z from 2^17 on; of infinity NaN. Other lanes are undefined. After 1/8 turn
 * is added, the first two bits are k. The bits after them, high 2^32 + low, become a pair of
 * floats: `high` and `low` are converted with 24 bits each, and so are their rounding errors.
 * Inlined, this function would take registers from the loop, which hardly ever needs it. */
static __attribute__((noinline)) struct angle angle_large(vf z)
{
    vi bits = v_bits(z), m = vi_or(vi_and(bits, vi_set1(0x7fffff)), vi_set1(0x800000));
    struct turns t = turns_of(m, vi_and(vi_sub(vi_shr(bits, 23), vi_set1(127 + 17)), vi_set1(127)));
    vi k = vi_shr(vi_add(t.high, vi_set1(1 << 29)), 30), high = vi_sub(t.high, vi_shl(k, 30));
    vi half = vi_shr(t.low, 1); /* conversions are of signed integers */
    vf high_float = v_from_int(high), half_float = v_from_int(half);
    vf high_rest = v_from_int(vi_sub(high, v_to_int(high_float)));
    vf half_rest = v_from_int(vi_sub(half, v_to_int(half_float)));
    /* The unit is 2^-32 turns. */
    vf first = v_fma(half_float, v_set1(0x1p-31f), high_rest), r = v_add(high_float, first);
    vf low = v_fma(half_rest, v_set1(0x1p-31f), v_sub(first, v_sub(r, high_float)));
    vf radians = v_set1(sincos_k.radians[0]), product = v_barrier(v_mul(r, radians));
    vf rest = v_fma(r, radians, v_sub(v_set1(0.0f), product));
    rest = v_fma(low, radians, v_fma(r, v_set1(sincos_k.radians[1]), rest));
    vf sum = v_select(v_lt(z, v_set1(INFINITY)), v_add(product, rest), v_set1(NAN));
    return (struct angle){sum, v_sub(rest, v_sub(sum, product)), v_from_int(k)};
}

/* Returns sin of the angle plus `quarters` quarter turns. */
static inline vf angle_sin(struct angle a, int quarters)
{
    vf r = a.r, minus_half = v_set1(-0.5f), one = v_set1(1.0f), w = v_mul(r, r);
    vf s = v_set1(sincos_k.s[3]), c = v_set1(sincos_k.c[2]);
    for (int i = 2; i >= 0; i--) s = v_fma(s, w, v_set1(sincos_k.s[i]));
    for (int i = 1; i >= 0; i--) c = v_fma(c, w, v_set1(sincos_k.c[i]));
    vf sine = v_add(r, v_fma(v_mul(w, r), s, a.low));

    vf u = v_fma(minus_half, w, one), rest = v_fma(minus_half, w, v_sub(one, u));
    rest = v_fma(minus_half, v_fma(r, r, v_sub(v_set1(0.0f), w)), rest);
    vf cosine = v_add(u, v_fma(v_mul(w, w), c, v_fnma(r, a.low, rest)));

    vi k = vi_add(v_to_int(a.k), vi_set1(quarters));
    vf y = v_select(vi_lt(vi_set1(0), vi_and(k, vi_set1(1))), cosine, sine);
    return v_float(vi_add(v_bits(y), vi_shl(vi_and(k, vi_set1(2)), 30)));
}

static inline vf v_sin_quarters(vf x, int quarters)
{
    vf z = v_abs(x);
    vm large = v_le(v_set1(0x1p17f), z);
    struct angle a = angle_small(z);
    if (m_any(large)) {
        struct angle b = angle_large(z);
        a.r = v_select(large, b.r, a.r);
        a.low = v_select(large, b.low, a.low);
        a.k = v_select(large, b.k, a.k);
    }
    return angle_sin(a, quarters);
}

/* Return sin(x) and cos(x) for every x. */
static inline vf v_sin(vf x) { return v_flip_sign(v_sin_quarters(x, 0), x); }
static inline vf v_cos(vf x) { return v_sin_quarters(x, 1); }

#endif
