// SPDX-License-Identifier: MIT
/* exp(x) = 2^n exp(r),  n = round(x / ln 2 - 0.085),  r = (x - n hi) - n lo
 * The shift puts r into [ln 0.75, ln 1.5]: exp(r) in [0.75, 1.5), where the roundings of r and of
 * r + r^2 q weigh least (0.93 ulp in all, against 0.99 with |r| <= ln 2 / 2).
 * exp(r) = 1 + (r + r^2 q(r)),  q of degree 4: 0.049 u relative
 * hi has 12 bits, so that n hi is exact for |n| < 4096 with or without FMA.
 * Coefficients: scripts/coefficients.sollya. The reduction is Cody and Waite's (1980). */
#ifndef EXP_H
#define EXP_H

#include "vec.h"

static const struct {
    float log2e, shift, ln2_hi, ln2_lo, c2, c3, c4, c5, c6;
} exp_k = {
    .log2e = 0x1.715476p+0f,
    .shift = -0x1.5c01a4p-4f,
    .ln2_hi = 0x1.62ep-1f,
    .ln2_lo = 0x1.0bfbe8p-15f,
    .c2 = 0x1.000006p-1f,
    .c3 = 0x1.5554d4p-3f,
    .c4 = 0x1.55442ep-5f,
    .c5 = 0x1.11f3d6p-7f,
    .c6 = 0x1.7fab3p-10f,
};

enum { EXP_FLOPS = 19 };

/* Returns m and n of exp(x) = m 2^n, m in [0.75, 1.5], for |x| <= 2048. NaN in x gives NaN in m. */
static inline vf v_exp_parts(vf x, vf *n)
{
    *n = v_round(v_mad(x, v_set1(exp_k.log2e), v_set1(exp_k.shift)));
    vf r = v_nmad(*n, v_set1(exp_k.ln2_hi), x);
    r = v_nmad(*n, v_set1(exp_k.ln2_lo), r);
    vf q = v_mad(v_set1(exp_k.c6), r, v_set1(exp_k.c5));
    q = v_mad(q, r, v_set1(exp_k.c4));
    q = v_mad(q, r, v_set1(exp_k.c3));
    q = v_mad(q, r, v_set1(exp_k.c2));
    return v_add(v_set1(1.0f), v_mad(v_mul(r, r), q, r));
}

/* Returns exp(x) for x <= 0 and NaN; below -104 it is zero. NaN passes, because v_max(a, NaN) is
 * NaN. */
static inline vf v_exp_nonpositive(vf x)
{
    vf n, m = v_exp_parts(v_max(v_set1(-104.0f), x), &n);
    return v_scale_down(m, n);
}

/* Returns exp(x) for every x. x is clamped to 89, where the scaling still overflows to infinity. */
static inline vf v_exp(vf x)
{
    vf n, m = v_exp_parts(v_max(v_set1(-104.0f), v_min(v_set1(89.0f), x)), &n);
    return v_scale(m, n);
}

#endif
