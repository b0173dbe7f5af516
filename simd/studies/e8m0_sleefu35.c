// SPDX-License-Identifier: MIT
/* e8m0.h by SLEEF's log2 of 3.5 ulp: 3654 wrong codes of all positive normal v, the same ones as
 * with 1.0 ulp (e8m0_sleef.c).
 * About 20 flops, 5 bytes per element. */
// build: policies=off
#include "e8m0.h"
#include "sleef_vec.h"

static inline vi code(vf v) { return code_of_log2(sleef_log2_u35(v)); }
static void run(const struct job *j) { e8m0_rows(j, code); }

const struct kernel KERNEL = {
    .op = "e8m0",
    .algorithm = "sleefu35",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 20,
    .bytes = 5,
    .lanes = VL,
    .study = true,
    .run = run,
};
