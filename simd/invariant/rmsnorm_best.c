// SPDX-License-Identifier: MIT
/* rmsnorm as one would ship it: rmsnorm_invariant.c, built for SIMD under `off` alone; `invariant`
 * shows what other policies make of the same text. dispatch.h has the conditions that choose the
 * path. */
// build: isas=avx2,avx512 policies=off same=rmsnorm_invariant
#define ALGORITHM "best"
#include "rmsnorm_invariant.c"
