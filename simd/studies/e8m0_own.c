// SPDX-License-Identifier: MIT
/* e8m0.h by the lab's own log2 (log2.h): 3654 wrong codes among all positive normal v, those of a
 * correctly rounded log2 (e8m0_sleef.c), the same from every build. 33 flops, 5 bytes per
 * element. */
#include "e8m0.h"
#include "log2.h"

static inline vi code(vf v) { return code_of_log2(v_log2(v)); }
static void run(const struct job *j) { e8m0_rows(j, code); }

const struct kernel KERNEL = {
    .op = "e8m0",
    .algorithm = "own",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = LOG2_FLOPS,
    .bytes = 5,
    .lanes = VL,
    .study = true,
    .run = run,
};
