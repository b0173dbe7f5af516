// SPDX-License-Identifier: MIT
/* y = 1 / sqrt(x) as it is usually written, by sqrtf of the C library and a division, for each
 * element on every ISA. Over all 2^32 inputs at most 1.490349, at 0x1.019566p-126. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float sqrtf(float);

static float y_of(float x) { return 1 / sqrtf(x); }

static void run(const struct job *j) { each_float(j, y_of); }

const struct kernel KERNEL = {
    .op = "rsqrt",
    .algorithm = "glibc",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .expressions = true,
    .bytes = 8,
    .lanes = 1,
    .promise = {.ulp_off = 1.491, .ulp_fused = 1.491, .specials = true},
    .run = run,
};
