// SPDX-License-Identifier: MIT
/* 2^x = 2^n (1 + r q(r)),  n = round(x),  r = x - n, exactly,  q of degree 5: 0.061 u relative
 * Coefficients: scripts/coefficients.sollya. */
#ifndef EXP2_H
#define EXP2_H

#include "vec.h"

static const float exp2_k[] = {0x1.62e43p-1f, 0x1.ebfbd8p-3f,  0x1.c6af76p-5f,
                               0x1.3b30ap-7f, 0x1.5f0b82p-10f, 0x1.3fa208p-13f};

enum { EXP2_FLOPS = 14 };

/* Returns 2^x for every x: at -151 it is zero, at 129 infinite. NaN passes, because v_max(a, NaN)
 * is NaN. */
static inline vf v_exp2(vf x)
{
    x = v_max(v_set1(-151.0f), v_min(v_set1(129.0f), x));
    vf n = v_round(x), r = v_sub(x, n), q = v_set1(exp2_k[5]);
    for (int i = 4; i >= 0; i--) q = v_fma(q, r, v_set1(exp2_k[i]));
    return v_scale(v_fma(q, r, v_set1(1.0f)), n);
}

#endif
