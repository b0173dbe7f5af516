/* y = expf(x) of the C library, called once per element on every ISA. glibc 2.36: at most
 * 0.501637 ulp over all 2^32 inputs, at -0x1.ce651ep-8; it computes in double with a table of 32
 * entries.
 * 11 flops, 8 bytes per element. */
// build: policies=off,fast
#include "kernel.h"
#include "vec.h"
#include "scanned.h"

/* Declared here, because <math.h>'s declaration lets -ffast-math choose libmvec instead. */
float expf(float);

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = expf(x[i]);
    }
}

const struct kernel KERNEL = {
    .op = "exp", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 11, .bytes = 8, .lanes = 1,
    .exp_ulp = GLIBC_EXP_ULP,
    .promise = {.ulp_off = 0.502, .ulp_fused = 0.502, .specials = true},
    .run = run,
};
