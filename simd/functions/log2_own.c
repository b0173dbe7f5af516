// SPDX-License-Identifier: MIT
/* y = log2(x): log2.h.
 * Error, over all 2^32 inputs and the same on every ISA and compiler: at most 0.987172 ulp under
 * off, at 0x1.5aaf8ep+0; 0.858232 ulp where every v_mad fuses, at 0x1.591a36p+0. Exact at powers
 * of two.
 * 33 flops, 8 bytes per element. */
#include "log2.h"
#include "ops.h"

static inline vf y_of(vf x) { return v_log2(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log2",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = LOG2_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .log_ulp = 0.988,
    .promise = {.ulp_off = 1.0, .ulp_fused = 1.0, .specials = true},
    .run = run,
    /* mad: p nine times, two for the rest, and head hi, which two additions may fuse with. */
    .ops = {.mad = 13,
            .mul = FREXP_MUL + 2,
            .add = FREXP_ADD + 6,
            .other = FREXP_OTHER + CHOICES + 3},
};
