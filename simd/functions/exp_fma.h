// SPDX-License-Identifier: MIT
/* exp.h with every FMA written out, so that no policy splits or fuses anything, for functions that
 * are composed of exponentials. */
#ifndef EXP_FMA_H
#define EXP_FMA_H

#include "exp.h"

/* Returns r = x - n ln 2, n = round(x / ln 2 - 0.085); *low is the rounding error of its last
 * subtraction. */
static inline vf v_exp_reduce(vf x, vf *n, vf *low)
{
    *n = v_round(v_fma(x, v_set1(exp_k.log2e), v_set1(exp_k.shift)));
    vf high = v_fnma(*n, v_set1(exp_k.ln2_hi), x), r = v_fnma(*n, v_set1(exp_k.ln2_lo), high);
    *low = v_fnma(*n, v_set1(exp_k.ln2_lo), v_sub(high, r));
    return r;
}

/* Returns exp(r) - 1 - r + low. */
static inline vf v_exp_rest(vf r, vf low)
{
    vf q = v_fma(v_set1(exp_k.c6), r, v_set1(exp_k.c5));
    q = v_fma(q, r, v_set1(exp_k.c4));
    q = v_fma(q, r, v_set1(exp_k.c3));
    q = v_fma(q, r, v_set1(exp_k.c2));
    return v_fma(v_mul(r, r), q, low);
}

/* Returns m and n of exp(x) = m 2^n, m in [0.75, 1.5], for |x| <= 2048. NaN in x gives NaN in m. */
static inline vf v_exp_fma_parts(vf x, vf *n)
{
    *n = v_round(v_fma(x, v_set1(exp_k.log2e), v_set1(exp_k.shift)));
    vf r = v_fnma(*n, v_set1(exp_k.ln2_hi), x);
    r = v_fnma(*n, v_set1(exp_k.ln2_lo), r);
    return v_add(v_set1(1.0f), v_exp_rest(r, r));
}

/* v_exp_fma_parts() with m as a pair: exp(x) = (m + *low) 2^n. */
static inline vf v_exp_fma_pair(vf x, vf *n, vf *low)
{
    vf r = v_exp_reduce(x, n, low), p = v_add(r, v_exp_rest(r, *low)), one = v_set1(1.0f);
    vf m = v_add(one, p);
    *low = v_sub(p, v_sub(m, one));
    return m;
}

/* Returns m 2^n, which must be a normal number. */
static inline vf v_scale_normal(vf m, vf n)
{
    return v_float(vi_add(v_bits(m), vi_shl(v_to_int(n), 23)));
}

/* Returns 2^-n, for n in [-126, 126]. */
static inline vf v_power_minus(vf n)
{
    return v_float(vi_shl(vi_sub(vi_set1(127), v_to_int(n)), 23));
}

/* Returns y with x's sign. y has that sign already, unless it is a zero. NaN stays NaN. */
static inline vf v_signed(vf y, vf x)
{
    return v_float(vi_or(v_bits(y), vi_and(v_bits(x), vi_set1(INT32_MIN))));
}

/* Returns y, negated if x is negative: for odd functions of |x|. NaN stays NaN. */
static inline vf v_flip_sign(vf y, vf x)
{
    return v_float(vi_add(v_bits(y), vi_and(v_bits(x), vi_set1(INT32_MIN))));
}

#endif
