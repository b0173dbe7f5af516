/* y = expm1f(x) of the C library, called once per element on every ISA. glibc 2.36: over all 2^32
 * inputs at most 0.812797, at 0x1.738e06p-2. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float expm1f(float);

static void run(const struct job *j) { each_float(j, expm1f); }

const struct kernel KERNEL = {
    .op = "expm1", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = 1,
    .promise = {.ulp_off = 0.813, .ulp_fused = 0.813, .specials = true},
    .run = run,
};
