// SPDX-License-Identifier: MIT
/* silu(x) = x / (1 + exp(-x)) = x (x < 0 ? e : 1) / (1 + e),  e = exp(-|x|) = m 2^n of exp.h
 *
 * In the left tail x m is divided and then multiplied by 2^n, so that only the final result can be
 * subnormal. The rounding errors of m, the product, 1 + e and the quotient correct the quotient. */
#ifndef SILU_H
#define SILU_H

#include "exp_fma.h"

enum { SILU_FLOPS = 45, SILU_UNCORRECTED_FLOPS = 22 };

/* Returns silu(x) for every x: at -120 it is zero, from 64 on x. NaN passes, because v_max(a, NaN)
 * is NaN. */
static inline vf v_silu(vf x)
{
    vf zero = v_set1(0.0f), one = v_set1(1.0f), n, m_low;
    vm negative = v_lt(x, zero);
    x = v_max(v_set1(-120.0f), x);
    vf m = v_exp_fma_pair(v_max(v_set1(-120.0f), v_sub(zero, v_abs(x))), &n, &m_low);
    vf e = v_scale_down(m, n), d = v_add(one, e), d_low = v_sub(e, v_sub(d, one));
    vf factor = v_select(negative, m, one), a = v_mul(x, factor);
    vf r = v_div(one, d), q = v_mul(a, r), rest = v_fma(x, factor, v_sub(zero, a));
    rest = v_fma(x, v_select(negative, m_low, zero), rest);
    rest = v_add(rest, v_fnma(q, d_low, v_fnma(q, d, a)));
    vf y = v_fma(rest, r, q);
    y = v_select(negative, v_scale_down(y, n), y);
    return v_signed(v_select(v_le(v_set1(64.0f), x), x, y), x);
}

/* Returns x / (1 + exp(-x)) without a correction: m, 1 + e and the quotient have rounded. */
static inline vf v_silu_near(vf x)
{
    vf one = v_set1(1.0f), n, m = v_exp_fma_parts(v_sub(v_set1(0.0f), x), &n);
    return v_div(x, v_add(one, v_scale_normal(m, n)));
}

/* Returns silu(x) without a correction where |x| may be large. Below -64 it is x c / (c + exp(-x)
 * c) with c = 2^-64: exp(-x) does not overflow, x c is exact, and the division rounds a subnormal
 * result once. Elsewhere it has the bits of v_silu_near(). */
static __attribute__((noinline)) vf v_silu_far(vf x)
{
    vf from = v_max(v_set1(-120.0f), x), n, m;
    m = v_exp_fma_parts(v_sub(v_set1(0.0f), v_min(v_set1(80.0f), from)), &n);
    vf c = v_select(v_lt(x, v_set1(-64.0f)), v_set1(0x1p-64f), v_set1(1.0f));
    return v_div(v_mul(from, c), v_add(c, v_scale_normal(v_mul(m, c), n)));
}

/* Returns silu(x) without a correction for every x. A vector with a lane below -64 goes to
 * v_silu_far() as a whole; NaN does not. */
static inline vf v_silu_uncorrected(vf x)
{
    return m_any(v_le(v_set1(64.0f), v_abs(x))) ? v_silu_far(x) : v_silu_near(x);
}

#endif
