/* y = cosf(x) of the C library, called once per element on every ISA. glibc 2.36: over all 2^32
 * inputs at most 0.560720, at -0x1.ff282p+51. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float cosf(float);

static void run(const struct job *j) { each_float(j, cosf); }

const struct kernel KERNEL = {
    .op = "cos", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = 1,
    .promise = {.ulp_off = 0.561, .ulp_fused = 0.561, .specials = true},
    .run = run,
};
