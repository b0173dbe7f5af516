// SPDX-License-Identifier: MIT
/* softmax as one would ship it: softmax_invariant.c, built for SIMD under `off` alone; `invariant`
 * shows what other policies make of the same text. dispatch.h has the conditions that choose the
 * path. */
// build: isas=avx2,avx512 policies=off same=softmax_invariant
#define ALGORITHM "best"
#include "softmax_invariant.c"
