/* y = logf(x) of the C library, called once per element on every ISA. glibc 2.36: at most
 * 0.817664 ulp over all 2^32 inputs, at 0x1.060106p+0; it computes in double with a table of 16
 * entries.
 * 12 flops, 8 bytes per element. */
// build: policies=off,fast
#include "kernel.h"
#include "vec.h"
#include "scanned.h"

/* Declared here, because <math.h>'s declaration lets -ffast-math choose libmvec instead. */
float logf(float);

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = logf(x[i]);
    }
}

const struct kernel KERNEL = {
    .op = "log", .algorithm = "glibc", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 12, .bytes = 8, .lanes = 1,
    .log_ulp = GLIBC_LOG_ULP,
    .promise = {.ulp_off = 0.818, .ulp_fused = 0.818, .specials = true},
    .run = run,
};
