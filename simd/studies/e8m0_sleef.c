// SPDX-License-Identifier: MIT
/* e8m0.h by SLEEF's log2 of 1.0 ulp. On all positive normal v it gives the correctly rounded
 * logarithm where it matters: 3654 wrong codes, all one too low and just above a power of two,
 * since the logarithm itself rounds to the whole number there.
 * About 44 flops, 5 bytes per element. */
// build: policies=off
#include "e8m0.h"
#include "sleef_vec.h"

static inline vi code(vf v) { return code_of_log2(sleef_log2(v)); }
static void run(const struct job *j) { e8m0_rows(j, code); }

const struct kernel KERNEL = {
    .op = "e8m0",
    .algorithm = "sleef",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 44,
    .bytes = 5,
    .lanes = VL,
    .study = true,
    .run = run,
};
