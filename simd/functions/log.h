// SPDX-License-Identifier: MIT
/* log(x) = e ln 2 + log(1 + f),  x = 2^e (1 + f),  1 + f in [0.75, 1.5)
 * log(1 + f) = f + (f^3 p(f) - f^2 / 2),  p of degree 8: 0.016 u relative
 * e hi is exact (hi has 12 bits) and is added last, so that one rounding at the result's own
 * magnitude remains; where e ln 2 and log(1 + f) cancel, that addition is exact.
 * Coefficients: scripts/coefficients.sollya. */
#ifndef LOG_H
#define LOG_H

#include "log_special.h"
#include "vec.h"

static const struct {
    float ln2_hi, ln2_lo, c3, c4, c5, c6, c7, c8, c9, c10, c11;
} log_k = {
    .ln2_hi = 0x1.62ep-1f,
    .ln2_lo = 0x1.0bfbe8p-15f,
    .c3 = 0x1.55555ap-2f,
    .c4 = -0x1.00006ep-2f,
    .c5 = 0x1.99975ep-3f,
    .c6 = -0x1.5519ccp-3f,
    .c7 = 0x1.246456p-3f,
    .c8 = -0x1.04af5p-3f,
    .c9 = 0x1.df10fcp-4f,
    .c10 = -0x1.74d5dp-4f,
    .c11 = 0x1.33c87p-5f,
};

enum { LOG_FLOPS = 27 };

/* Returns log(x) for positive finite x, subnormal ones included; for other x the result is
 * undefined. */
static inline vf v_log_positive(vf x)
{
    vf e, f = v_sub(v_frexp(x, &e), v_set1(1.0f)), f2 = v_mul(f, f);
    vf p = v_mad(v_set1(log_k.c11), f, v_set1(log_k.c10));
    p = v_mad(p, f, v_set1(log_k.c9));
    p = v_mad(p, f, v_set1(log_k.c8));
    p = v_mad(p, f, v_set1(log_k.c7));
    p = v_mad(p, f, v_set1(log_k.c6));
    p = v_mad(p, f, v_set1(log_k.c5));
    p = v_mad(p, f, v_set1(log_k.c4));
    p = v_mad(p, f, v_set1(log_k.c3));
    vf s = v_mad(v_mul(f2, f), p, v_mul(e, v_set1(log_k.ln2_lo)));
    s = v_mad(f2, v_set1(-0.5f), s);
    return v_mad(e, v_set1(log_k.ln2_hi), v_add(f, s));
}

/* Returns log(x) for every x. */
static inline vf v_log(vf x) { return v_log_special(x, v_log_positive); }

#endif
