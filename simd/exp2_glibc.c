/* y = exp2f(x) of the C library, called once per element on every ISA. glibc 2.36: over all 2^32
 * inputs at most 0.501636, at -0x1.4795f8p-7. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float exp2f(float);

static void run(const struct job *j) { each_float(j, exp2f); }

const struct kernel KERNEL = {
    .op = "exp2", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = 1,
    .promise = {.ulp_off = 0.502, .ulp_fused = 0.502, .specials = true},
    .run = run,
};
