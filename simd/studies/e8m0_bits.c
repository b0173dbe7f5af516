// SPDX-License-Identifier: MIT
/* code = min(biased exponent + (mantissa != 0), 254): e8m0.h without a logarithm. Adding the
 * largest mantissa carries into the exponent unless the mantissa is zero. Equal to the exact
 * clamp(ceil(log2 v), -127, 127) + 127 of its argument v = fl(|x| + eps) for every v >= 2^-126;
 * below (with eps = 0 alone) it is 1 for all subnormal v, where the exact code of v <= 2^-127 is 0.
 * Integers throughout: no policy can change it. 4 operations, 5 bytes per element. */
// build: policies=off,fastmath
#include "e8m0.h"

static inline vi code(vf v)
{
    vi c = vi_shr(vi_add(v_bits(v), vi_set1(0x007fffff)), 23), top = vi_set1(254);
    return v_bits(v_select(vi_lt(c, top), v_float(c), v_float(top)));
}
static void run(const struct job *j) { e8m0_rows(j, code); }

const struct kernel KERNEL = {
    .op = "e8m0",
    .algorithm = "bits",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4,
    .bytes = 5,
    .lanes = VL,
    .study = true,
    .run = run,
};
