// SPDX-License-Identifier: MIT
/* The operations that simd/correct's rows need beside invariant_isa.h, without AVX and FMA. */
#include "../scalar/rows_isa.h"
