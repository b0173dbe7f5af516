// SPDX-License-Identifier: MIT
/* erfgelu.h with its last two operations fused: h + h erf, h = x/2, rounded once. erf: SLEEF,
 * 1.0 ulp. This does not help against the cancellation: the digits were lost when erf was rounded.
 * About 64 flops, 8 bytes per element. */
// build: policies=off
#include "erfgelu.h"
#include "sleef_vec.h"

static inline vf y_of(vf x)
{
    vf e = sleef_erf(v_barrier(erfgelu_argument(x)));
    vf half = v_barrier(v_mul(v_set1(0.5f), x));
    return v_fma(half, e, half);
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "erfgelu",
    .algorithm = "fma",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .hazard = true,
    .flops = 64,
    .bytes = 8,
    .lanes = VL,
    .study = true,
    .run = run,
};
