// SPDX-License-Identifier: MIT
/* softplus(x) = log(1 + exp(x)) = max(x, 0) + log(1 + t),  t = exp(-|x|) of exp.h
 *
 *   log(1 + t) = t + t^2 q(t),  t in [0, 1],  q of degree 9: 0.014 u relative
 *
 * t cannot overflow, and is a pair of floats. max(x, 0) and t are added first. The rounding error
 * of that sum (Fast2Sum) joins the last term, as does the low half of t times the slope 1 + 2 t q,
 * which is close enough to 1 / (1 + t). Coefficients: scripts/coefficients.sollya. */
#ifndef SOFTPLUS_H
#define SOFTPLUS_H

#include "exp_fma.h"

static const float softplus_k[] = {-0x1.fffff8p-2f, 0x1.5553b4p-2f, -0x1.ffc552p-3f, 0x1.97890ep-3f,
                                   -0x1.4a6966p-3f, 0x1.fefbf4p-4f, -0x1.54af5ap-4f, 0x1.588ab6p-5f,
                                   -0x1.bfbf76p-7f, 0x1.107bacp-9f};

enum { SOFTPLUS_FLOPS = 58 };

/* Returns softplus(x) for every x. exp(-104) is zero. NaN passes, because v_max(a, NaN) is NaN. */
static inline vf v_softplus(vf x)
{
    vf zero = v_set1(0.0f), n, low, sum;
    vf m = v_exp_fma_pair(v_max(v_set1(-104.0f), v_sub(zero, v_abs(x))), &n, &low);
    vf t = v_scale_down(m, n), q = v_set1(softplus_k[9]);
    low = v_scale_down(low, n);
    for (int i = 8; i >= 0; i--) q = v_fma(q, t, v_set1(softplus_k[i]));
    vf whole = v_max(zero, x), large = v_max(whole, t), small = v_min(t, whole);
    sum = v_add(large, small);
    low = v_fma(low, v_fma(v_add(q, q), t, v_set1(1.0f)), v_sub(small, v_sub(sum, large)));
    vf y = v_add(sum, v_fma(v_mul(t, t), q, low));
    return v_select(v_le(v_set1(64.0f), x), x, y);
}

#endif
