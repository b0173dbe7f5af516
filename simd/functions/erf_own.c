// SPDX-License-Identifier: MIT
/* y = erf(x): erf.h. Error: over all 2^32 inputs at most 1.038285, at -0x1.11bf0cp+0, the same on
 * every ISA, from every compiler and under every policy that is held to promises. */
#include "erf.h"

static inline vf y_of(vf x) { return v_erf(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "erf",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = ERF_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 1.05, .ulp_fused = 1.05, .specials = true},
    .run = run,
    .ops = {.fma = 21, .mul = 2, .add = 3, .max = 1, .other = 9},
};
