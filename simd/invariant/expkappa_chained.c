/* y = kappa e^x, the terms of logsumexp/invariant in rows of 128 elements and more (exp_core.h:
 * add_terms), but that the product is rounded here, and in a sum only together with what is there
 * already; for `ulplab scan`, as expkappa_invariant.c. For x in [-1, 1], as in expkappa_terms.c.
 * Error, over all of these and the same on every ISA and compiler: at most 1.634773 ulp, at
 * -0x1.726852p-1. 8 bytes per element. */
// build: policies=off
#define SCANNED_ALGORITHM "chained"
#define SCANNED_ULP INVARIANT_CHAINED_ULP
#define SCANNED_EXP(x, s, range_bits) term_vector(x, s, range_bits)
#define LEAST -1.0f
#define GREATEST 1.0f
#include "expkappa_invariant.c"
