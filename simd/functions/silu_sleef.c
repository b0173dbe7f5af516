// SPDX-License-Identifier: MIT
/* y = x / (1 + exp(-x)), x times sigmoid.h's form of exp by SLEEF 3.5.1, built with FMA:
 * sleef_vec.h. Below -87 exp is subnormal, and its rounding error grows by the factor x. Over all
 * 2^32 inputs at most 52.013927, at -0x1.9fe368p+6. It promises no special values, because it
 * flushes: below -103.97 exp is 0, and with it results that should be subnormal. */
// build: policies=off
#include "sigmoid.h"
#include "sleef_vec.h"

#ifndef ALGORITHM
#define ALGORITHM "sleef"
#endif

static inline vf y_of(vf x)
{
    vf bounded = v_max(v_set1(-200.0f), x); /* -inf times 0 is NaN */
    return v_mul(bounded, v_sigmoid_of(x, sleef_exp(v_minus_abs(x))));
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "silu",
    .algorithm = ALGORITHM,
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 52.014, .ulp_fused = 52.014},
    .run = run,
};
