// SPDX-License-Identifier: MIT
/* y = tanh(x): tanh.h. Error: over all 2^32 inputs at most 0.955105, at -0x1.000deep+0, the same
 * on every ISA, from every compiler and under every policy that is held to promises. */
#include "tanh.h"

static inline vf y_of(vf x) { return v_tanh(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "tanh",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = TANH_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 0.97, .ulp_fused = 0.97, .specials = true},
    .run = run,
    .ops = {.fma = 15, .mul = 3, .add = 4, .max = 1, .other = 10},
};
