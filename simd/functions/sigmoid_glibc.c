// SPDX-License-Identifier: MIT
/* y = 1 / (1 + exp(-x)) = (x < 0 ? e : 1) / (1 + e), e = expf(-|x|) of the C library, called once
 * per element on every ISA.
 * Over all 2^32 inputs at most 2.401877 ulp, at -0x1.0a111ap+2.
 * 13 flops, 8 bytes per element. */
// build: policies=off,fast
#include "kernel.h"
#include "vec.h"

/* This declaration replaces <math.h>'s, which lets -ffast-math choose libmvec instead. */
float expf(float);

static float y_of(float x)
{
    float e = expf(-__builtin_fabsf(x));
    return (x < 0 ? e : 1) / (1 + e);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = y_of(x[i]);
    }
}

const struct kernel KERNEL = {
    .op = "sigmoid",
    .algorithm = "glibc",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .expressions = true,
    .flops = 13,
    .bytes = 8,
    .lanes = 1,
    .promise = {.ulp_off = 2.5, .ulp_fused = 2.5, .specials = true},
    .run = run,
};
