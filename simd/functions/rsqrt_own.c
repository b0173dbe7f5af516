// SPDX-License-Identifier: MIT
/* y = 1 / sqrt(x): rsqrt.h. Error: over all 2^32 inputs at most 0.500000, at 0x1.13e07p-129, the
 * same on every ISA, from every compiler and under every policy that is held to promises. */
#include "rsqrt.h"

static inline vf y_of(vf x) { return v_rsqrt(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "rsqrt",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = RSQRT_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 0.51, .ulp_fused = 0.51, .specials = true},
    .run = run,
    .ops = {.fma = 4, .mul = 2, .add = 1, .other = 4},
};
