// SPDX-License-Identifier: MIT
/* moments as one would ship it: moments_invariant.c, built for SIMD under `off` alone; `invariant`
 * shows what other policies make of the same text. dispatch.h has the conditions that choose the
 * path. */
// build: isas=avx2,avx512 policies=off same=moments_invariant
#define ALGORITHM "best"
#include "moments_invariant.c"
