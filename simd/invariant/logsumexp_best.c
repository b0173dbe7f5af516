/* logsumexp as one would ship it: logsumexp_invariant.c, built for SIMD under `off` alone. What
 * other policies make of the same text, `invariant` shows. dispatch.h has the conditions by which
 * it chooses its path. */
// build: isas=avx2,avx512 policies=off same=logsumexp_invariant
#define ALGORITHM "best"
#include "logsumexp_invariant.c"
