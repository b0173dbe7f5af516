// SPDX-License-Identifier: MIT
/* y = 1 / (1 + exp(-x)), sigmoid.h's form of exp by SLEEF 3.5.1, built with FMA: sleef_vec.h.
 * Over all 2^32 inputs at most 1.479658 ulp, at -0x1.362c52p+2.
 * 32 flops, 8 bytes per element. */
// build: policies=off,fast
#include "sigmoid.h"
#include "sleef_vec.h"

#ifndef ALGORITHM
#define ALGORITHM "sleef"
#endif

static inline vf y_of(vf x) { return v_sigmoid_of(x, sleef_exp(v_minus_abs(x))); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "sigmoid",
    .algorithm = ALGORITHM,
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 32,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 2.0, .ulp_fused = 2.0, .specials = true},
    .run = run,
};
