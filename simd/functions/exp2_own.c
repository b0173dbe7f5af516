// SPDX-License-Identifier: MIT
/* y = 2^x: exp2.h. Error: over all 2^32 inputs at most 0.878363, at -0x1.f9fc6ap+6, the same on
 * every ISA, from every compiler and under every policy that is held to promises. */
#include "ops.h"
#include "exp2.h"

static inline vf y_of(vf x) { return v_exp2(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "exp2",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = EXP2_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 0.89, .ulp_fused = 0.89, .specials = true},
    .run = run,
    .ops = {.fma = 6, .mul = SCALE_MUL, .add = 1, .max = 2, .other = SCALE_OTHER + 1},
};
