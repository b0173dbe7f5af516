/* y = erff(x) of the C library, called once per element on every ISA. glibc 2.36: over all 2^32
 * inputs at most 0.967919, at -0x1.ac6212p-1. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float erff(float);

static void run(const struct job *j) { each_float(j, erff); }

const struct kernel KERNEL = {
    .op = "erf", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = 1,
    .promise = {.ulp_off = 0.968, .ulp_fused = 0.968, .specials = true},
    .run = run,
};
