// SPDX-License-Identifier: MIT
/* y = x/2 (1 + erf(x / sqrt 2)) as it is usually written, with SLEEF 3.5.1's erf, built with FMA
 * (sleef_vec.h). A hazard: for negative x, 1 + erf cancels; below -5.5 nothing is left of the
 * result, and at -inf it is NaN, as PyTorch's is. Over all 2^32 inputs the error is at most 1.2e7
 * ulp, which is the whole result, at -0x1.62b9dcp+2; below that the result is 0. 44 flops, 8 bytes
 * per element. */
// build: policies=off,fast
#include "gelu_composed.h"
#include "sleef_vec.h"

#ifndef ALGORITHM
#define ALGORITHM "sleef"
#endif

static inline vf y_of(vf x) { return gelu_composed(x, sleef_erf(gelu_argument(x))); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "gelu",
    .algorithm = ALGORITHM,
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .hazard = true,
    .flops = 44,
    .bytes = 8,
    .lanes = VL,
    .run = run,
};
