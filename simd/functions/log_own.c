// SPDX-License-Identifier: MIT
/* y = log(x): log.h.
 * Error, over all 2^32 inputs and the same on every ISA and compiler: at most 0.827992 ulp under
 * off, at 0x1.727b4ep-1; 0.836213 ulp where every v_mad fuses, at 0x1.7354ccp+0.
 * 27 flops, 8 bytes per element. */
#include "log.h"
#include "ops.h"
#include "scanned.h"

static inline vf y_of(vf x) { return v_log(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = LOG_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = 0.84, .ulp_fused = 0.84, .specials = true},
    .run = run,
    /* mad: p eight times, three at the end. The other counts belong to e and f. */
    .ops = {.mad = 11, .mul = FREXP_MUL + 3, .add = FREXP_ADD + 2, .other = FREXP_OTHER + CHOICES},
};
