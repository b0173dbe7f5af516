// SPDX-License-Identifier: MIT
/* y = log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)), exp and log1p by SLEEF 3.5.1, built with FMA:
 * sleef_vec.h. Over all 2^32 inputs at most 1.499998, at -0x1.95a0e6p+6. It promises no special
 * values, because it flushes: SLEEF's log1p of some subnormal numbers is 0. */
// build: policies=off
#include "sigmoid.h"
#include "sleef_vec.h"

#ifndef ALGORITHM
#define ALGORITHM "sleef"
#endif

static inline vf y_of(vf x)
{
    vf tail = sleef_log1p(sleef_exp(v_minus_abs(x)));
    return v_add(v_max(v_set1(0.0f), x), tail);
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "softplus",
    .algorithm = ALGORITHM,
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 1.5, .ulp_fused = 1.5},
    .run = run,
};
