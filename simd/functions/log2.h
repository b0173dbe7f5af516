// SPDX-License-Identifier: MIT
/* log2(x) = e + log2(1 + f),  x = 2^e (1 + f),  1 + f in [43/64, 43/32)
 * log2(1 + f) = f hi + (f^2 p(f) + tail hi + f lo),  p of degree 9: 0.021 u relative
 * hi + lo = 1 / ln 2. f hi is exact: 12 bits of f (head) times 12 bits of hi; tail is the rest of
 * f. The rounding error of e + head hi is added back (Dekker's Fast2Sum), so that one rounding at
 * the result's own magnitude remains. Of all intervals of one octave this one makes f^2 p smallest
 * relative to |log2(x)|. A power of two has f = 0, and log2(x) = e exactly.
 * Coefficients: scripts/coefficients.sollya. */
#ifndef LOG2_H
#define LOG2_H

#include "log_special.h"
#include "vec.h"

static const struct {
    float hi, lo, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11;
} log2_k = {
    .hi = 0x1.716p+0f,
    .lo = -0x1.7135a8p-13f,
    .c2 = -0x1.715478p-1f,
    .c3 = 0x1.ec709ep-2f,
    .c4 = -0x1.7152ap-2f,
    .c5 = 0x1.277638p-2f,
    .c6 = -0x1.ed116ap-3f,
    .c7 = 0x1.a66354p-3f,
    .c8 = -0x1.65b402p-3f,
    .c9 = 0x1.410778p-3f,
    .c10 = -0x1.8536fap-3f,
    .c11 = 0x1.54c434p-3f,
};

enum { LOG2_FLOPS = 33 };

/* Returns log2(x) for positive finite x, subnormal ones included; for other x the result is
 * undefined. */
static inline vf v_log2_positive(vf x)
{
    vf e, m = v_frexp(x, &e), top = v_set1(1.34375f);
    vm high = v_le(top, m);
    e = v_add(e, v_select(high, v_set1(1.0f), v_set1(0.0f)));
    vf f = v_sub(v_select(high, v_mul(m, v_set1(0.5f)), m), v_set1(1.0f));
    vf p = v_mad(v_set1(log2_k.c11), f, v_set1(log2_k.c10));
    p = v_mad(p, f, v_set1(log2_k.c9));
    p = v_mad(p, f, v_set1(log2_k.c8));
    p = v_mad(p, f, v_set1(log2_k.c7));
    p = v_mad(p, f, v_set1(log2_k.c6));
    p = v_mad(p, f, v_set1(log2_k.c5));
    p = v_mad(p, f, v_set1(log2_k.c4));
    p = v_mad(p, f, v_set1(log2_k.c3));
    p = v_mad(p, f, v_set1(log2_k.c2));
    vf head = v_float(vi_and(v_bits(f), vi_set1(-4096))), tail = v_sub(f, head);
    vf rest = v_mad(tail, v_set1(log2_k.hi), v_mul(f, v_set1(log2_k.lo)));
    rest = v_mad(v_mul(f, f), p, rest);
    vf main = v_mul(head, v_set1(log2_k.hi)), sum = v_add(e, main);
    return v_add(sum, v_add(v_sub(main, v_sub(sum, e)), rest));
}

/* Returns log2(x) for every x. */
static inline vf v_log2(vf x) { return v_log_special(x, v_log2_positive); }

#endif
