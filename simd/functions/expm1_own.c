// SPDX-License-Identifier: MIT
/* y = exp(x) - 1: expm1.h. Error: over all 2^32 inputs at most 0.929252, at 0x1.9a951p-2, the same
 * on every ISA, from every compiler and under every policy that is held to promises. */
#include "ops.h"
#include "expm1.h"

static inline vf y_of(vf x) { return v_expm1(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "expm1",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = EXPM1_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 0.94, .ulp_fused = 0.94, .specials = true},
    .run = run,
    .ops = {.fma = 10, .mul = SCALE_MUL + 1, .add = 7, .max = 3, .other = SCALE_OTHER + 5},
};
