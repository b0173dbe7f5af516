// SPDX-License-Identifier: MIT
/* erf(x), z = |x|:
 *
 *   z < 15/16:  z + z p(z^2),  p of degree 6: 0.014 u relative
 *   else:       1 - exp(z q(z) - z),  q of degree 5: 0.08 u relative
 *
 * Coefficients: scripts/coefficients.sollya. */
#ifndef ERF_H
#define ERF_H

#include "exp_fma.h"

static const struct {
    float p[7], q[6];
} erf_k = {
    .p = {0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2de6p-4f, -0x1.b80c08p-6f, 0x1.54b154p-8f,
          -0x1.a98p-11f, 0x1.5a7084p-14f},
    .q = {-0x1.072d7ep-3f, -0x1.45812ap-1f, -0x1.aef988p-4f, 0x1.769216p-6f, -0x1.a43d94p-9f,
          0x1.be84p-13f},
};

enum { ERF_FLOPS = 48 };

/* Returns erf(x) for every x; from 4 on it is 1. NaN passes, because v_min(a, NaN) is NaN. */
static inline vf v_erf(vf x)
{
    vf size = v_abs(x), z = v_min(v_set1(4.0f), size), w = v_mul(z, z);
    vf p = v_set1(erf_k.p[6]), q = v_set1(erf_k.q[5]);
    for (int i = 5; i >= 0; i--) p = v_fma(p, w, v_set1(erf_k.p[i]));
    for (int i = 4; i >= 0; i--) q = v_fma(q, z, v_set1(erf_k.q[i]));
    vf n, m = v_exp_fma_parts(v_fma(q, z, v_sub(v_set1(0.0f), z)), &n);
    vf far = v_sub(v_set1(1.0f), v_scale_normal(m, n));
    return v_flip_sign(v_select(v_lt(z, v_set1(0.9375f)), v_fma(p, z, z), far), x);
}

#endif
