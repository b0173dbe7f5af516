// SPDX-License-Identifier: MIT
/* Rows of float, correctly rounded: functions.c and kernels.c are compiled for the kernels of
 * simd/correct. */
#ifndef ULP_LIB_TYPE_H
#define ULP_LIB_TYPE_H

#include "ulp.h"

typedef float element;
#define TYPED(name) name##_cr_f32
#define NAMED(prefix, op) prefix##cr_##op##_f32
/* The functions of arrays: F(op) for each. */
#define ARRAY_FUNCTIONS(F)                                                                         \
    F(exp)                                                                                         \
    F(exp2)                                                                                        \
    F(expm1)                                                                                       \
    F(log)                                                                                         \
    F(log2) F(log1p) F(tanh) F(erf) F(sigmoid) F(silu) F(gelu) F(softplus) F(sin) F(cos) F(rsqrt)
/* Whether kernels widen rows to float, for which they need room. */
enum { IS_WIDENED = 0 };

#endif
