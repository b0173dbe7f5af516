// SPDX-License-Identifier: MIT
/* y = x/2 (1 + erf(x / sqrt 2)) in f32, as models usually write it: for strongly negative x the sum
 * 1 + erf cancels, and one or two of the result's 24 bits remain. gelu.h avoids this. The case
 * study src/cases/e8m0_ceil_log2.c shows what it does. */
#ifndef ERFGELU_H
#define ERFGELU_H

#include "row.h"

static inline vf erfgelu_argument(vf x) { return v_mul(x, v_set1(0x1.6a09e6p-1f)); }

#endif
