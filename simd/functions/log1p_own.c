// SPDX-License-Identifier: MIT
/* y = log(1 + x): log1p.h. Error: over all 2^32 inputs at most 0.836213, at 0x1.cd533p-2, the same
 * on every ISA, from every compiler and under every policy that is held to promises. */
#include "ops.h"
#include "log1p.h"

static inline vf y_of(vf x) { return v_log1p(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log1p",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = LOG1P_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .promise = {.ulp_off = 0.85, .ulp_fused = 0.85, .specials = true},
    .run = run,
    .ops = {.fma = 12,
            .mul = FREXP_MUL + 3,
            .add = FREXP_ADD + 8,
            .max = 3,
            .other = FREXP_OTHER + CHOICES + 4},
};
