// SPDX-License-Identifier: MIT
/* gelu(x) = x/2 (1 + erf(x / sqrt 2)), the erf form, PyTorch's default; -0 at -inf, its limit.
 * x in [-0.375, 1]:  x/2 + x^2 p(x^2), p(w) = erf(sqrt(w/2)) / (2 sqrt w): 0.48 u
 * elsewhere max(x, 0) - tail, and never 1 + erf, which cancels: with z = |x|, d = z + 3,
 *   tail = z Q(z) = exp(-z^2/2) z S(t) / d,  t = (z - 3) / d,
 *   S(t) = d exp(z^2/2) erfc(z / sqrt 2) / 2, nearly constant, of degree 10: 0.054 u
 * d, t, the leading terms of S, and z S / d are pairs of floats (TwoSum, and the residuals of
 * products and quotients by FMA), for in the tail every rounding would be an error of the result.
 * z^2/2 is split too: z = head + rest, head of 12 bits, so that head^2 is exact; the remainder of
 * z^2/2 is added to exp's reduced argument (exp.h).
 * Coefficients: scripts/coefficients.sollya. */
#ifndef GELU_H
#define GELU_H

#include "exp.h"
#include "exp_fma.h"

static const struct {
    float s0_lo, s[11], p[6];
} gelu_k = {
    .s0_lo = -0x1.c62598p-26f,
    .s = {0x1.754a76p-1f, -0x1.04c72ap-1f, 0x1.d71386p-3f, -0x1.832ca2p-5f, -0x1.56d69ap-7f,
          0x1.c8a8dep-8f, 0x1.0ca3f4p-10f, -0x1.0dd65ep-10f, -0x1.fef9fap-13f, 0x1.0d28ap-13f,
          0x1.b99bb2p-15f},
    .p = {0x1.988454p-2f, -0x1.10587p-4f, 0x1.46d908p-7f, -0x1.37bfd2p-10f, 0x1.e8124p-14f,
          -0x1.23c134p-17f},
};

enum { GELU_FLOPS = 107 };

struct pair {
    vf hi, lo;
};

/* Returns a + b and its rounding error: Knuth's TwoSum. */
static inline struct pair pair_sum(vf a, vf b)
{
    vf s = v_add(a, b), t = v_sub(s, a);
    return (struct pair){s, v_add(v_sub(a, v_sub(s, t)), v_sub(b, t))};
}

/* Returns a / d, given r, which is 1 / d to about an ulp. */
static inline struct pair pair_quotient(struct pair a, struct pair d, vf r)
{
    vf q = v_mul(a.hi, r);
    vf rest = v_add(v_fnma(q, d.hi, a.hi), v_fnma(q, d.lo, a.lo));
    return (struct pair){q, v_mul(rest, r)};
}

/* Returns S(t). */
static inline struct pair gelu_tail_series(struct pair t)
{
    vf s = v_set1(gelu_k.s[10]);
    for (int i = 9; i >= 1; i--) s = v_mad(s, t.hi, v_set1(gelu_k.s[i]));
    vf s0 = v_set1(gelu_k.s[0]), rise = v_mul(s, t.hi), sum = v_add(s0, rise);
    vf lo = v_add(v_fma(s, t.hi, v_sub(v_set1(0.0f), rise)), v_sub(rise, v_sub(sum, s0)));
    return (struct pair){sum, v_add(lo, v_mad(s, t.lo, v_set1(gelu_k.s0_lo)))};
}

/* Returns p and n of exp(-z^2 / 2) = (1 + p) 2^n. */
static inline vf gelu_exponential(vf z, vf *n)
{
    vf head = v_float(vi_and(v_bits(z), vi_set1(-4096))), rest = v_sub(z, head);
    vf high = v_mul(v_mul(head, head), v_set1(-0.5f));
    vf low = v_mul(v_mul(rest, v_set1(-0.5f)), v_add(z, head));
    *n = v_round(v_mad(high, v_set1(exp_k.log2e), v_set1(exp_k.shift)));
    vf r = v_nmad(*n, v_set1(exp_k.ln2_hi), high);
    r = v_add(v_nmad(*n, v_set1(exp_k.ln2_lo), low), r);
    vf q = v_mad(v_set1(exp_k.c6), r, v_set1(exp_k.c5));
    q = v_mad(q, r, v_set1(exp_k.c4));
    q = v_mad(q, r, v_set1(exp_k.c3));
    q = v_mad(q, r, v_set1(exp_k.c2));
    return v_mad(v_mul(r, r), q, r);
}

/* Returns the tail for z in [0, 15]. */
static inline vf gelu_tail(vf z)
{
    vf three = v_set1(3.0f), n, p = gelu_exponential(z, &n);
    struct pair d = pair_sum(z, three);
    vf r = v_div(v_set1(1.0f), d.hi);
    struct pair s = gelu_tail_series(pair_quotient(pair_sum(z, v_set1(-3.0f)), d, r));
    vf product = v_mul(z, s.hi);
    vf lost = v_fma(z, s.hi, v_sub(v_set1(0.0f), product));
    struct pair a = pair_quotient((struct pair){product, v_mad(z, s.lo, lost)}, d, r);
    return v_scale_down(v_add(a.hi, v_mad(a.hi, p, a.lo)), n);
}

/* Returns x/2 + x^2 p(x^2), for x in [-0.375, 1]. The sum of -0 and 0 is 0; v_signed() makes it
 * -0. */
static inline vf gelu_small(vf x)
{
    vf w = v_mul(x, x), p = v_set1(gelu_k.p[5]);
    for (int i = 4; i >= 0; i--) p = v_mad(p, w, v_set1(gelu_k.p[i]));
    return v_signed(v_mad(w, p, v_mul(x, v_set1(0.5f))), x);
}

static inline vf v_gelu(vf x)
{
    vf zero = v_set1(0.0f), tail = gelu_tail(v_min(v_set1(15.0f), v_abs(x)));
    vf large = v_select(v_lt(x, zero), v_sub(v_set1(-0.0f), tail), v_sub(x, tail));
    vm is_small = m_and(v_le(v_set1(-0.375f), x), v_le(x, v_set1(1.0f)));
    return v_select(is_small, gelu_small(x), large);
}

/* Returns whether a result may depend on the tail. Up to 0.375 in size gelu_small() is used, and
 * from 15 on the tail is zero; NaN does not need the tail. */
static inline vm v_gelu_needs_tail(vf x)
{
    vf size = v_abs(x);
    return m_and(v_lt(v_set1(0.375f), size), v_lt(size, v_set1(15.0f)));
}

/* Returns v_gelu(x), bit for bit, where no tail is needed. NaN passes, because v_max(a, NaN) is
 * NaN. */
static inline vf v_gelu_tailless(vf x)
{
    vf large = v_max(v_set1(-0.0f), x);
    return v_select(v_le(v_abs(x), v_set1(0.375f)), gelu_small(x), large);
}

#endif
