// SPDX-License-Identifier: MIT
/* logsumexp as one would ship it: logsumexp_invariant.c, built for SIMD under `off` alone;
 * `invariant` shows what other policies make of the same text. dispatch.h has the conditions that
 * choose the path. */
// build: isas=avx2,avx512 policies=off same=logsumexp_invariant
#define ALGORITHM "best"
#include "logsumexp_invariant.c"
