// SPDX-License-Identifier: MIT
/* Mean and variance of a row by Eigen 3.4's expressions, in two passes, as its users write them.
 * Bound: BOUND_VARIANCE_TWOPASS (docs/method.md), whatever the order of summation. 5 flops, 4 bytes
 * per element. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=eigen
#include <math.h>

#include <eigen3/Eigen/Core>

#include "kernel.h"
#include "vec.h"

static void run(const struct job *j)
{
    using row = Eigen::Map<const Eigen::ArrayXf>;
    for (size_t r = 0; r < j->rows; r++) {
        const row x(static_cast<const float *>(j->x) + r * j->x_stride, Eigen::Index(j->n));
        float *y = static_cast<float *>(j->y) + r * j->y_stride;
        y[0] = j->n ? x.mean() : NAN; /* Eigen refuses an empty row */
        y[1] = j->n ? (x - y[0]).square().mean() : NAN;
    }
}

extern "C" const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "eigen",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 5,
    .bytes = 4,
    .lanes = VL,
    .bound = BOUND_VARIANCE_TWOPASS,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
