/* exp(x) = 2^n exp(r),  n = round(x / ln 2),  r = (x - n hi) - n lo,  |r| <= 0.3467
 * exp(r) = 1 + (r + r^2 q(r)),  q of degree 4: 0.055 u relative
 * hi has 12 bits, so that n hi is exact for |n| < 4096 with or without FMA.
 * Coefficients: scripts/coefficients.sollya. The reduction is Cody and Waite's (1980). */
#ifndef EXP_H
#define EXP_H

#include "vec.h"

static const struct {
    float log2e, ln2_hi, ln2_lo, c2, c3, c4, c5, c6;
} exp_k = {
    .log2e = 0x1.715476p+0f,
    .ln2_hi = 0x1.62ep-1f,
    .ln2_lo = 0x1.0bfbe8p-15f,
    .c2 = 0x1.fffffap-2f,
    .c3 = 0x1.555492p-3f,
    .c4 = 0x1.555a26p-5f,
    .c5 = 0x1.123988p-7f,
    .c6 = 0x1.694cd4p-10f,
};

enum { EXP_FLOPS = 18 };

/* exp(x) = m 2^n, m in [0.70, 1.42], for |x| <= 2048. NaN in x gives NaN in m. */
static inline vf v_exp_parts(vf x, vf *n)
{
    *n = v_round(v_mul(x, v_set1(exp_k.log2e)));
    vf r = v_nmad(*n, v_set1(exp_k.ln2_hi), x);
    r = v_nmad(*n, v_set1(exp_k.ln2_lo), r);
    vf q = v_mad(v_set1(exp_k.c6), r, v_set1(exp_k.c5));
    q = v_mad(q, r, v_set1(exp_k.c4));
    q = v_mad(q, r, v_set1(exp_k.c3));
    q = v_mad(q, r, v_set1(exp_k.c2));
    return v_add(v_set1(1.0f), v_mad(v_mul(r, r), q, r));
}

/* For x <= 0 and NaN. Below -104 the result is zero; v_max's order lets a NaN through. */
static inline vf v_exp_nonpositive(vf x)
{
    vf n, m = v_exp_parts(v_max(v_set1(-104.0f), x), &n);
    return v_scale(m, n);
}

/* For every x. At 89 the scaling itself overflows to infinity. */
static inline vf v_exp(vf x) { return v_exp_nonpositive(v_min(v_set1(89.0f), x)); }

#endif
