// SPDX-License-Identifier: MIT
/* tanh(x), z = |x|:
 *
 *   z < 1:  z + z^3 p(z^2),  p of degree 6: 0.078 u relative
 *   else:   1 - 2 / (exp(2 z) + 1), whose second term is below a third of the first
 *
 * Coefficients: scripts/coefficients.sollya. */
#ifndef TANH_H
#define TANH_H

#include "exp_fma.h"

static const float tanh_k[] = {-0x1.55553cp-2f, 0x1.110be6p-3f, -0x1.b96288p-5f, 0x1.600bd6p-6f,
                               -0x1.04675p-7f,  0x1.2db79ep-9f, -0x1.7806d8p-12f};

enum { TANH_FLOPS = 39 };

/* Returns tanh(x) for every x; from 10 on it is 1. NaN passes, because v_min(a, NaN) is NaN. */
static inline vf v_tanh(vf x)
{
    vf z = v_abs(x), one = v_set1(1.0f), two = v_set1(2.0f), w = v_mul(z, z), p = v_set1(tanh_k[6]);
    for (int i = 5; i >= 0; i--) p = v_fma(p, w, v_set1(tanh_k[i]));
    vf near = v_fma(v_mul(w, z), p, z);
    vf n, m = v_exp_fma_parts(v_mul(two, v_min(v_set1(10.0f), z)), &n);
    vf far = v_sub(one, v_div(two, v_add(v_scale_normal(m, n), one)));
    return v_flip_sign(v_select(v_lt(z, one), near, far), x);
}

#endif
