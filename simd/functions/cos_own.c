// SPDX-License-Identifier: MIT
/* y = cos(x): sincos.h. Error: over all 2^32 inputs at most 0.846823, at -0x1.66d60ep+66, the same
 * on every ISA, from every compiler and under every policy that is held to promises. */
#include "sincos.h"

static inline vf y_of(vf x) { return v_cos(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "cos",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = SINCOS_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 0.86, .ulp_fused = 0.86, .specials = true},
    .run = run,
    .ops = {.fma = 15, .mul = 5, .add = 12, .other = 9},
};
