/* rmsnorm as one would ship it: rmsnorm_invariant.c, built for SIMD under `off` alone. What other
 * policies make of the same text, `invariant` shows. dispatch.h has the conditions by which it
 * chooses its path. */
// build: isas=avx2,avx512 policies=off same=rmsnorm_invariant
#define ALGORITHM "best"
#include "rmsnorm_invariant.c"
