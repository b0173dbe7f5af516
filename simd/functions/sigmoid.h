// SPDX-License-Identifier: MIT
/* sigmoid(x) = 1 / (1 + exp(-x)) = (x < 0 ? e : 1) / (1 + e),  e = exp(-|x|) of exp.h
 * e cannot overflow, and the left tail has the relative error of e. The rounding error of 1 + e
 * (Dekker's Fast2Sum) and the remainder of the division (by FMA) correct the quotient, so that the
 * result has little more than the error of e and one rounding. */
#ifndef SIGMOID_H
#define SIGMOID_H

#include "exp.h"

enum { SIGMOID_FLOPS = EXP_FLOPS + 11 };

/* Returns sigmoid(x), given e = exp(-|x|). */
static inline vf v_sigmoid_of(vf x, vf e)
{
    vf one = v_set1(1.0f), d = v_add(one, e), d_lo = v_sub(e, v_sub(d, one));
    vf a = v_select(v_lt(x, v_set1(0.0f)), e, one), r = v_div(one, d), q = v_mul(a, r);
    vf rest = v_fnma(q, d_lo, v_fnma(q, d, a));
    return v_fma(rest, r, q);
}

static inline vf v_minus_abs(vf x) { return v_sub(v_set1(0.0f), v_abs(x)); }

static inline vf v_sigmoid(vf x) { return v_sigmoid_of(x, v_exp_nonpositive(v_minus_abs(x))); }

#endif
