// SPDX-License-Identifier: MIT
/* Highway's functions of doubles: simd/libraries/highway_vec.h, whose headers are read before
 * words.h gives `float` another meaning. */
#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_BMI2_FMA
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "libraries/highway_vec.h"
