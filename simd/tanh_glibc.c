/* y = tanhf(x) of the C library, called once per element on every ISA. glibc 2.36: over all 2^32
 * inputs at most 2.188555, at -0x1.ddca18p-3. */
// build: policies=off
#include "kernel.h"
#include "vec.h"
#include "each_float.h"

float tanhf(float);

static void run(const struct job *j) { each_float(j, tanhf); }

const struct kernel KERNEL = {
    .op = "tanh", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = 1,
    .promise = {.ulp_off = 2.189, .ulp_fused = 2.189, .specials = true},
    .run = run,
};
