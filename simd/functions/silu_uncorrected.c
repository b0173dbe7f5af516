// SPDX-License-Identifier: MIT
/* y = x / (1 + exp(-x)): silu.h, without the correction of its quotient.
 * Error: over all 2^32 inputs at most 2.403095, at -0x1.0af0b8p+4, the same on every ISA, from
 * every compiler and under every policy that is held to promises. */
#include "ops.h"
#include "silu.h"

static inline vf y_of(vf x) { return v_silu_uncorrected(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "silu",
    .algorithm = "uncorrected",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = SILU_UNCORRECTED_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 2.41, .ulp_fused = 2.41, .specials = true},
    .run = run,
    .ops = {.fma = 8, .mul = 1, .add = 3, .other = 7},
};
