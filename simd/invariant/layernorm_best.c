// SPDX-License-Identifier: MIT
/* layernorm as one would ship it: layernorm_invariant.c, built for SIMD under `off` alone;
 * `invariant` shows what other policies make of the same text. dispatch.h has the conditions that
 * choose the path. */
// build: isas=avx2,avx512 policies=off same=layernorm_invariant
#define ALGORITHM "best"
#include "layernorm_invariant.c"
