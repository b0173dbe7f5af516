// SPDX-License-Identifier: MIT
/* y = x / (1 + exp(-x)) = x (x < 0 ? e : 1) / (1 + e), e = expf(-|x|) of the C library, called once
 * per element on every ISA. Below -87 e is subnormal, and its rounding error grows by the factor x.
 * Over all 2^32 inputs at most 52.013927, at -0x1.9fe368p+6. It promises no special values, because
 * it flushes: below -103.97 exp is 0, and with it results that should be subnormal. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float expf(float);

static float y_of(float x)
{
    float e = expf(-__builtin_fabsf(x));
    float bounded = x < -200 ? -200 : x; /* -inf times 0 is NaN */
    return bounded * ((x < 0 ? e : 1) / (1 + e));
}

static void run(const struct job *j) { each_float(j, y_of); }

const struct kernel KERNEL = {
    .op = "silu",
    .algorithm = "glibc",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .expressions = true,
    .bytes = 8,
    .lanes = 1,
    .promise = {.ulp_off = 52.014, .ulp_fused = 52.014},
    .run = run,
};
