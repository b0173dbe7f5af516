// SPDX-License-Identifier: MIT
/* y = 1 / (1 + exp(-x)): sigmoid.h.
 * Error, over all 2^32 inputs: at most 1.479658 ulp, at -0x1.362c52p+2, under off and where every
 * v_mad fuses: nearly all of it is exp's.
 * 30 flops, 8 bytes per element. */
#include "ops.h"
#include "sigmoid.h"
#include "scanned.h"

static inline vf y_of(vf x) { return v_sigmoid(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "sigmoid",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .written_fma = 3,
    .flops = SIGMOID_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .exp_ulp = OWN_EXP_ULP,
    .promise = {.ulp_off = 2.5, .ulp_fused = 2.5, .specials = true},
    .run = run,
    /* -|x|, exp; 1 + e and its rounding error; a, 1 / d, the quotient and its correction. */
    .ops = {.fma = 3,
            .mad = EXP_MAD,
            .mul = EXP_NONPOSITIVE_MUL + 1,
            .add = EXP_ADD + 4,
            .max = 1,
            .other = EXP_NONPOSITIVE_OTHER + 4},
};
