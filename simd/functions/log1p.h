// SPDX-License-Identifier: MIT
/* log1p(x) = log(1 + x) = e ln 2 + log(1 + f)
 *
 *   1 + x = 2^e (1 + f),  1 + f in [0.75, 1.5), as in log.h
 *
 * 1 + x is the sum u + low (Fast2Sum). f includes as much of low 2^-e as it can hold: all of it
 * where e = 0, so that f = x there. The remainder joins the terms that are added last. The result
 * has x's sign, also at zeros. */
#ifndef LOG1P_H
#define LOG1P_H

#include <math.h>

#include "exp_fma.h"
#include "log.h"

enum { LOG1P_FLOPS = 36 };

/* Returns log(1 + f) - f, with `low` added, for 1 + f in [0.75, 1.5). */
static inline vf v_log1p_terms(vf f, vf low)
{
    vf p = v_fma(v_set1(log_k.c11), f, v_set1(log_k.c10)), f2 = v_mul(f, f);
    p = v_fma(p, f, v_set1(log_k.c9));
    p = v_fma(p, f, v_set1(log_k.c8));
    p = v_fma(p, f, v_set1(log_k.c7));
    p = v_fma(p, f, v_set1(log_k.c6));
    p = v_fma(p, f, v_set1(log_k.c5));
    p = v_fma(p, f, v_set1(log_k.c4));
    p = v_fma(p, f, v_set1(log_k.c3));
    return v_fma(f2, v_set1(-0.5f), v_fma(v_mul(f2, f), p, low));
}

/* Returns log1p(x) for every x. */
static inline vf v_log1p(vf x)
{
    vf one = v_set1(1.0f), inf = v_set1(INFINITY), u = v_add(one, x), e;
    vf low = v_sub(v_min(one, x), v_sub(u, v_max(one, x)));
    vf m = v_sub(v_frexp(u, &e), one);
    low = v_barrier(v_mul(low, v_power_minus(v_min(v_set1(60.0f), e))));
    vf f = v_add(m, low);
    low = v_sub(low, v_sub(f, m));
    vf s = v_log1p_terms(f, v_fma(e, v_set1(log_k.ln2_lo), low));
    vf y = v_fma(e, v_set1(log_k.ln2_hi), v_add(f, s));
    y = v_signed(y, x);
    vf least = v_select(v_eq(u, v_set1(0.0f)), v_set1(-INFINITY), v_set1(NAN));
    y = v_select(v_le(u, v_set1(0.0f)), least, y);
    return v_select(v_lt(x, inf), y, x);
}

#endif
