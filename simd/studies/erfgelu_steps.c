// SPDX-License-Identifier: MIT
/* erfgelu.h, unfused: every operation is rounded, as in a graph that is executed operation by
 * operation. The barriers keep every policy from fusing. erf: SLEEF, 1.0 ulp.
 * About 64 flops, 8 bytes per element. */
// build: policies=off
#include "erfgelu.h"
#include "sleef_vec.h"

static inline vf y_of(vf x)
{
    vf e = sleef_erf(v_barrier(erfgelu_argument(x)));
    vf half = v_barrier(v_mul(v_set1(0.5f), x));
    return v_mul(half, v_barrier(v_add(v_set1(1.0f), e)));
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "erfgelu",
    .algorithm = "steps",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .hazard = true,
    .flops = 64,
    .bytes = 8,
    .lanes = VL,
    .study = true,
    .run = run,
};
