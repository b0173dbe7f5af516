/* sin(x) and cos(x), z = |x| = k pi/2 + r,  |r| <= pi/4 and little more. By k modulo 4 either is
 *   sin(r) = r + r^3 p(r^2),             p of degree 3: 0.0035 u relative
 *   cos(r) = 1 - r^2/2 + r^4 p(r^2),     p of degree 2: 0.0027 u relative
 * or its negative. r is a pair of floats, and cos(r) gets back what r^2 and 1 - r^2/2 round off.
 * z < 2^17: r = z - k pi/2, pi/2 in three floats (Cody and Waite); by FMA k times the first, and the
 * difference, are exact.
 * else, for the whole vector: z = m 2^e with a whole m, and the quarters are m (2/pi 2^e modulo 4), which a
 * table has (Payne and Hanek).
 * Coefficients: scripts/coefficients.sollya. */
#ifndef SINCOS_H
#define SINCOS_H

#include <math.h>

#include "exp_fma.h"
#include "sincos_table.h"

static const struct {
    float turns, quarter[3], s[4], c[3];
} sincos_k = {
    .turns = 0x1.45f306p-1f,
    .quarter = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f},
    .s = {-0x1.555556p-3f, 0x1.11116p-7f, -0x1.a0439cp-13f, 0x1.76878cp-19f},
    .c = {0x1.555548p-5f, -0x1.6c0b08p-10f, 0x1.999a6cp-16f},
};

enum { SINCOS_FLOPS = 48 };

struct angle {
    vf r, low; /* r + low */
    vf k;      /* quarter turns, modulo 4 */
};

/* The second product, too, is split, and the second difference has its rounding error (Knuth's
 * TwoSum): next to a multiple of pi/2 it cancels what the first one left. No policy may join the
 * product with the difference. */
static inline struct angle angle_small(vf z)
{
    vf k = v_round(v_mul(z, v_set1(sincos_k.turns))), quarter = v_set1(sincos_k.quarter[1]);
    vf high = v_fnma(k, v_set1(sincos_k.quarter[0]), z), p = v_barrier(v_mul(k, quarter));
    vf r = v_sub(high, p), t = v_sub(r, high);
    vf low = v_sub(v_sub(high, v_sub(r, t)), v_add(p, t));
    low = v_sub(low, v_fma(k, quarter, v_sub(v_set1(0.0f), p)));
    return (struct angle){r, v_fnma(k, v_set1(sincos_k.quarter[2]), low), k};
}

/* For z from 2^17 on; of infinity NaN. Other lanes are undefined. One lane after the other, in
 * double: the integer m times turns_high is exact, and so is what is left of it without its whole
 * quarters; and those are few after turns_low, too. */
static __attribute__((noinline)) struct angle angle_large(vf z)
{
    float x[VL], r[VL], low[VL], quarters[VL];
    v_store(x, z);
    for (int l = 0; l < VL; l++) {
        uint32_t bits;
        __builtin_memcpy(&bits, &x[l], sizeof bits);
        uint32_t at = (bits >> 23) - (127 + TURNS_FIRST);
        at = at < TURNS ? at : 0;
        double m = (double)(int32_t)((bits & 0x7fffff) | 0x800000), high = m * turns_high[at];
        double k = __builtin_rint(high), rest = __builtin_fma(m, turns_low[at], high - k);
        double more = __builtin_rint(rest), turns = rest - more;
        r[l] = (float)(turns * 0x1.921fb54442d18p+0);
        low[l] = (float)__builtin_fma(turns, 0x1.921fb54442d18p+0, -(double)r[l]);
        k += more;
        quarters[l] = (float)(k - 4 * __builtin_rint(k * 0.25));
    }
    vm finite = v_lt(z, v_set1(INFINITY));
    return (struct angle){v_select(finite, v_load(r), v_set1(NAN)), v_load(low), v_load(quarters)};
}

/* sin of an angle and of `quarters` quarter turns besides. */
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

/* For every x. */
static inline vf v_sin(vf x) { return v_flip_sign(v_sin_quarters(x, 0), x); }
static inline vf v_cos(vf x) { return v_sin_quarters(x, 1); }

#endif
