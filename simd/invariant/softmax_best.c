/* softmax as one would ship it: softmax_invariant.c, built for SIMD under `off` alone. What other
 * policies make of the same text, `invariant` shows. dispatch.h has the conditions by which it
 * chooses its path. */
// build: isas=avx2,avx512 policies=off same=softmax_invariant
#define ALGORITHM "best"
#include "softmax_invariant.c"
