// SPDX-License-Identifier: MIT
/* e8m0.h by log2f of the C library, called once per element. glibc 2.36: 3654 wrong codes of all
 * positive normal v, those of a correctly rounded log2 (e8m0_sleef.c).
 * About 12 flops, 5 bytes per element. */
// build: policies=off
#include "e8m0.h"

/* This declaration replaces <math.h>'s, which lets -ffast-math choose libmvec instead. */
float log2f(float);

static inline vi code(vf v)
{
    float a[VL];
    v_store(a, v);
    for (size_t i = 0; i < VL; i++) a[i] = log2f(a[i]);
    return code_of_log2(v_load(a));
}
static void run(const struct job *j) { e8m0_rows(j, code); }

const struct kernel KERNEL = {
    .op = "e8m0",
    .algorithm = "libm",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 12,
    .bytes = 5,
    .lanes = VL,
    .study = true,
    .run = run,
};
