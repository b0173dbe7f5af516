// SPDX-License-Identifier: MIT
/* y = exp(x): exp.h.
 * Error, over all 2^32 inputs and the same on every ISA and compiler: at most 0.932334 ulp under
 * off, at 0x1.7ae486p+2; 0.894981 ulp where every v_mad fuses, at 0x1.33f85ap+5.
 * 19 flops, 8 bytes per element. */
#include "exp.h"
#include "ops.h"
#include "scanned.h"

static inline vf y_of(vf x) { return v_exp(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "exp",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = EXP_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .exp_ulp = OWN_EXP_ULP,
    .promise = {.ulp_off = 0.94, .ulp_fused = 0.94, .specials = true},
    .run = run,
    .ops = {.mad = EXP_MAD, .mul = EXP_MUL, .add = EXP_ADD, .max = 2, .other = EXP_OTHER},
};
