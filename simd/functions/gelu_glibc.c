// SPDX-License-Identifier: MIT
/* y = x/2 (1 + erf(x / sqrt 2)) as it is usually written, with erff of the C library, called once
 * per element on every ISA. A hazard: for negative x, 1 + erf cancels; below -5.5 nothing is left
 * of the result, and at -inf it is NaN, as PyTorch's is. Over all 2^32 inputs the error is at most
 * 1.2e7 ulp, which is the whole result, at -0x1.62b9dcp+2; below that the result is 0. 30 flops, 8
 * bytes per element. */
// build: policies=off,fast
#include "kernel.h"
#include "vec.h"

/* This declaration replaces <math.h>'s, which lets -ffast-math choose libmvec instead. */
float erff(float);

static float y_of(float x) { return x * 0.5f * (1 + erff(x * 0x1.6a09e6p-1f)); }

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = y_of(x[i]);
    }
}

const struct kernel KERNEL = {
    .op = "gelu",
    .algorithm = "glibc",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .expressions = true,
    .hazard = true,
    .flops = 30,
    .bytes = 8,
    .lanes = 1,
    .run = run,
};
