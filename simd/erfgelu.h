/* y = x/2 (1 + erf(x / sqrt 2)) in f32, as it is written in models: for strongly negative x the sum
 * 1 + erf cancels, and of the result's 24 bits one or two remain. simd/gelu_*.c do better; these
 * kernels are what the case study src/cases/e8m0_ceil_log2.c is about. */
#ifndef ERFGELU_H
#define ERFGELU_H

#include "row.h"

static inline vf erfgelu_argument(vf x) { return v_mul(x, v_set1(0x1.6a09e6p-1f)); }

#endif
