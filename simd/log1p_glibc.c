/* y = log1pf(x) of the C library, called once per element on every ISA. glibc 2.36: over all 2^32
 * inputs at most 1.293279, at 0x1.a827b4p-2. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float log1pf(float);

static void run(const struct job *j) { each_float(j, log1pf); }

const struct kernel KERNEL = {
    .op = "log1p", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = 1,
    .promise = {.ulp_off = 1.294, .ulp_fused = 1.294, .specials = true},
    .run = run,
};
