// SPDX-License-Identifier: MIT
/* expm1(x) = exp(x) - 1 = 2^n ((1 - 2^-n) + p)
 *
 *   p = exp(r) - 1 = r + r^2 q(r),  r = x - n ln 2 of exp.h,  q of degree 5: 0.0068 u relative
 *
 * The rounding errors of r and 1 - 2^-n are added back, so that only the roundings of p and of the
 * last sum remain. The result has x's sign, also at zeros. Coefficients:
 * scripts/coefficients.sollya. */
#ifndef EXPM1_H
#define EXPM1_H

#include "exp_fma.h"

static const float expm1_k[] = {0x1p-1f,        0x1.55555ap-3f,  0x1.555524p-5f,
                                0x1.11060cp-7f, 0x1.6ce214p-10f, 0x1.b74dbcp-13f};

enum { EXPM1_FLOPS = 29 };

/* Returns expm1(x) for every x; below -17.4 it is -1. NaN passes, because v_max(a, NaN) is NaN. */
static inline vf v_expm1(vf x)
{
    vf one = v_set1(1.0f), n, low;
    vf r = v_exp_reduce(v_max(v_set1(-17.4f), v_min(v_set1(89.0f), x)), &n, &low);
    vf q = v_set1(expm1_k[5]);
    for (int i = 4; i >= 0; i--) q = v_fma(q, r, v_set1(expm1_k[i]));
    vf power = v_power_minus(v_min(v_set1(126.0f), n)), u = v_sub(one, power);
    low = v_add(low, v_sub(v_sub(one, u), power));
    vf p = v_add(r, v_fma(v_mul(r, r), q, low));
    return v_signed(v_scale(v_add(u, p), n), x);
}

#endif
