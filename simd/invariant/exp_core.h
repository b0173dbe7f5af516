// SPDX-License-Identifier: MIT
/* The exponential of softmax and logsumexp, scaled by a power of two that is common to the row:
 *
 *   e^x kappa 2^(BIAS - N) = p (1 + q)
 *   k = round(8 x / ln2)
 *   r = x - k ln2/8           |r| <= 0.0436, ln2/8 as a double-float
 *   q = r + r^2 (c2 + c3 r)   e^r - 1, to 0.45 u (u = 2^-24)
 *   p = kappa 2^(k/8) 2^(BIAS - N)
 *
 * N ln2 is near the row's maximum (exp_row.h). The reduction subtracts from x itself, never from a
 * rounded x - max: N only changes p's exponent. Every r in q includes its low part: with r^2 and c3
 * r computed from the high part alone, softmax of rows near 10^4 would err by 24 ulp.
 *
 * A rounding addition yields k: z = 8 x / ln2 + magic, magic = 1.5 2^23 + 8 (BIAS + 127 - N). The
 * last bits of z are 8 times the biased exponent of p, plus, in the last three bits, the index j
 * into a table of kappa 2^(j/8) (Tang 1989). A shift and an addition to the table's entry make p.
 * Where the exponent leaves its field, z has bits that are 0 in every other z: out_of_range().
 *
 * A quotient does not depend on kappa, and a logarithm subtracts ln(kappa). This kappa brings the
 * eight entries of the table nearest to floats: they err by at most 0.046 u, those of 2^(j/8) by
 * 0.54 u.
 *
 * BIAS = 40 keeps three things normal: the smallest numerator whose quotient does not round to
 * zero, and both parts of the reciprocal of a sum of 2^31 elements. Only a quotient can be
 * subnormal, and it is rounded once.
 *
 * Error: at most 0.950493 ulp, at -0x1.4e18ccp+3 (over all x: `ulplab scan expkappa`).
 * scripts/coefficients.sollya prints the tables and the errors of the polynomials. */
#ifndef EXP_CORE_H
#define EXP_CORE_H

#include "invariant.h"

enum {
    QUAD = 4 * LANES, /* elements */
    OCTET = 8 * LANES,
    GROUP = 16 * LANES,
    BIAS = 40,
    /* The number of vectors whose instructions alternate, so that none waits for its own results:
     * as many as the registers hold. */
    INTERLEAVED = PARTS == 1 ? 4 : 1
};

#define MAGIC 0x1.8p23f
#define LOG2E 0x1.715476p+0f
#define LN2 0x1.62e43p-1f
#define LN_KAPPA -0x1.501c2adc9f97dp-9
#define LOWEST -110.0f
#define MINUS_INFINITY f_from_bits(INFINITY_BITS | 0x80000000u)

/* Entry j is bits(kappa 2^(j/8)) - bits(1) - (j << 20). Adding z's exponent and index, shifted,
 * completes it. */
enum { BITS_OF_1 = 0x3f800000 };
static const int32_t kappa_powers[8] = {
    0x3f7f5829 - BITS_OF_1,
    0x3f8b3a3e - BITS_OF_1 - 0x100000,
    0x3f97d424 - BITS_OF_1 - 0x200000,
    0x3fa59202 - BITS_OF_1 - 0x300000,
    0x3fb48e45 - BITS_OF_1 - 0x400000,
    0x3fc4e5be - BITS_OF_1 - 0x500000,
    0x3fd6b7da - BITS_OF_1 - 0x600000,
    0x3fea26de - BITS_OF_1 - 0x700000,
};

/* The terms of a logarithm have a cheaper exponential, because only their sum is a result:
 *
 *   e^r = (((r + CUBIC_2) r + CUBIC_1) r + CUBIC_0) / CUBIC_0   to 0.38 u
 *
 * Without a leading coefficient the first step is an addition. The table holds kappa 2^(j/8) (1 -
 * 0.24 u) / CUBIC_0. The factor 1 - 0.24 u puts the cubic's errors on both sides of zero; of all
 * floats from 5.98 to 6.01 this CUBIC_0 gives the smallest errors of cubic and table, 0.15 u. (With
 * 6 for CUBIC_0 the cubic would err by 0.67 u.) */
#define CUBIC_2 0x1.8059dap+1f
#define CUBIC_1 0x1.804aaep+2f
#define CUBIC_0 0x1.804aaap+2f
static const int32_t term_powers[8] = {
    0x3e2a19b3 - BITS_OF_1,
    0x3e397eec - BITS_OF_1 - 0x100000,
    0x3e4a48db - BITS_OF_1 - 0x200000,
    0x3e5c97c9 - BITS_OF_1 - 0x300000,
    0x3e708eeb - BITS_OF_1 - 0x400000,
    0x3e832a53 - BITS_OF_1 - 0x500000,
    0x3e8f096c - BITS_OF_1 - 0x600000,
    0x3e9bfb95 - BITS_OF_1 - 0x700000,
};

/* The use of the exponentials that are summed. NUMERATORS are divided by their sum afterwards;
 * STORED are numerators that are also stored to y. LOGARITHM_TERMS serve only the logarithm of
 * their sum: they leave out the low part of ln2/8, which saves an FMA. Each is then e^((1 - c) x),
 * c = 2.75e-9, and multiplying the logarithm by STRETCH = 1 / (1 - c) leaves an error of c times
 * the entropy of the terms' shares, at most c ln(n). log_softmax, which subtracts its logarithm
 * from x, would show that error: it sums NUMERATORS. */
enum summand { LOGARITHM_TERMS, NUMERATORS, STORED };
#define STRETCH 1.000000002747835 /* c = 0x1.05c610p-32 / (ln2 / 8) */

/* The constants of the exponential in registers, with a row's magic number and its lowest
 * element. */
struct exp_scale {
    vf magic, lowest, steps_per_unit, minus_step_high, minus_step_low, c2, c3, cubic[3];
    table8 powers, term_powers;
    float *clamped; /* room for OCTET floats, aligned to a cache line, for clamp_elements(); NULL:
                       no clamping */
};

/* Returns the lowest element of a row that is told from -inf: elements below N ln2 - 110 count as
 * that value, because their quotients, below 2^-158, round to zero. */
static inline float lowest_of(float N) { return f_fma(N, LN2, LOWEST); }

static inline struct exp_scale exp_scale(float N, float *clamped)
{
    return (struct exp_scale){
        .magic = i_set1(f_fma(N, -8.0f, MAGIC + 8 * (BIAS + 127))),
        .lowest = i_set1(lowest_of(N)),
        .steps_per_unit = i_set1(0x1.715476p+3f),
        .minus_step_high = i_set1(-0x1.62e43p-4f),
        .minus_step_low = i_set1(0x1.05c610p-32f),
        .c2 = i_set1(0x1.0008aap-1f),
        .c3 = i_set1(0x1.555b3p-3f),
        .cubic = {i_set1(CUBIC_2), i_set1(CUBIC_1), i_set1(CUBIC_0)},
        .powers = table8_load(kappa_powers),
        .term_powers = table8_load(term_powers),
        .clamped = clamped,
    };
}

/* Returns the N of a row whose maximum is about m: the integer nearest to m / ln2. */
static inline float exponent_of(float m) { return f_sub(f_fma(m, LOG2E, MAGIC), MAGIC); }
/* Vector form of exponent_of(): lane k holds row k. */
static inline vf exponents_of(vf m)
{
    return i_sub(i_fma(m, i_set1(LOG2E), i_set1(MAGIC)), i_set1(MAGIC));
}
static inline vf magic_of(vf N)
{
    return i_fma(N, i_set1(-8.0f), i_set1(MAGIC + 8 * (BIAS + 127)));
}

/* Bits that are 0 in every z whose exponent fits its field. A NaN or an infinity sets some of
 * them. */
enum { FIELD = 0x4b400000 | 0x7ff };
/* Returns whether any z left its field. range_bits: all z so far, combined by or. */
static inline int out_of_range(vi range_bits)
{
    return m_any(vi_lt(vi_set1(0), vi_and(range_bits, vi_set1(MAGNITUDE & ~FIELD))));
}
ALWAYS_INLINE void collect_range_bits(vi *range_bits, const vf *z, size_t count)
{
    for (size_t i = 0; i < count; i++) *range_bits = vi_or(*range_bits, v_bits(z[i]));
    *range_bits = v_bits(
        keep(v_float(*range_bits))); /* otherwise compilers first collect 16 of them in memory */
}

/* Returns p. */
ALWAYS_INLINE vf power_of(vf z, table8 powers)
{
    vi exponent = vi_shl(v_bits(z), 20);
    return keep(v_float(vi_add(table8_at(powers, v_bits(z)), exponent)));
}

/* Computes `count` exponentials whose instructions alternate; x >= lowest, and NaN gives NaN. Every
 * caller passes a constant `kind`, so that no loop tests it. */
ALWAYS_INLINE void exp_interleaved(vf *e, const vf *x, size_t count, enum summand kind,
                                   const struct exp_scale *s, vi *range_bits)
{
    vf z[INTERLEAVED], k[INTERLEAVED], r[INTERLEAVED], rr[INTERLEAVED], q[INTERLEAVED],
        power[INTERLEAVED];
    for (size_t i = 0; i < count; i++) z[i] = i_fma(x[i], s->steps_per_unit, s->magic);
    for (size_t i = 0; i < count; i++) k[i] = i_sub(z[i], s->magic);
    for (size_t i = 0; i < count; i++) r[i] = i_fma(k[i], s->minus_step_high, x[i]);
    collect_range_bits(range_bits, z, count);
    for (size_t i = 0; kind != LOGARITHM_TERMS && i < count; i++)
        r[i] = i_fma(k[i], s->minus_step_low, r[i]);
    for (size_t i = 0; i < count; i++) rr[i] = i_mul(r[i], r[i]);
    for (size_t i = 0; i < count; i++) q[i] = i_fma(s->c3, r[i], s->c2);
    for (size_t i = 0; i < count; i++) power[i] = power_of(z[i], s->powers);
    for (size_t i = 0; i < count; i++) q[i] = i_fma(q[i], rr[i], r[i]);
    for (size_t i = 0; i < count; i++) e[i] = i_fma(power[i], q[i], power[i]);
}
ALWAYS_INLINE vf exp_vector(vf x, enum summand kind, const struct exp_scale *s, vi *range_bits)
{
    exp_interleaved(&x, &x, 1, kind, s, range_bits);
    return x;
}

/* Adds the terms of the virtual register at x to sum, by the cubic. The FMA that multiplies by p
 * also adds: one instruction less than exp_interleaved() and an addition. 1 + q is rounded but its
 * product is not: a single term errs by up to 1.635 ulp, which averages out among 128. AVX2 has few
 * registers: its header fixes the order of the instructions. */
ALWAYS_INLINE void add_terms(vf sum[PARTS], const float *x, const struct exp_scale *s,
                             vi *range_bits)
{
#ifdef I_TERMS
    static const float low[2][VL] __attribute__((aligned(VL * sizeof(float)))) = {
        {[0 ... VL - 1] = CUBIC_1}, {[0 ... VL - 1] = CUBIC_0}};
    i_terms(sum, x, s->steps_per_unit, s->magic, s->minus_step_high, s->term_powers, s->cubic[0],
            low, range_bits);
#else
    for (size_t p = 0; p < PARTS; p++) {
        vf a = v_load(x + p * VL), z = i_fma(a, s->steps_per_unit, s->magic),
           k = i_sub(z, s->magic);
        vf r = i_fma(k, s->minus_step_high, a);
        collect_range_bits(range_bits, &z, 1);
        vf e = i_add(r, s->cubic[0]);
        for (int i = 1; i < 3; i++) e = i_fma(e, r, s->cubic[i]);
        sum[p] = i_fma(power_of(z, s->term_powers), e, sum[p]);
    }
#endif
}
/* Returns the term that add_terms() would add for each lane of x. */
static inline vf term_vector(vf x, const struct exp_scale *s, vi *range_bits)
{
    float at[LANES];
    vf sum[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        sum[p] = i_set1(0.0f);
        v_store(at + p * VL, x);
    }
    add_terms(sum, at, s, range_bits);
    return sum[0];
}

#endif
