// SPDX-License-Identifier: MIT
/* y = kappa e^x as logsumexp/invariant computes its terms in rows of 128 elements and more
 * (exp_core.h: add_terms), for `ulplab scan`, as expkappa_invariant.c. Here the product is rounded
 * on its own; inside a sum it is fused with the addition. x in [-1, 1], as in expkappa_terms.c.
 * Error, over all of these and the same on every ISA and compiler: at most 1.634773 ulp, at
 * -0x1.726852p-1. 8 bytes per element. */
// build: policies=off
#define SCANNED_ALGORITHM "chained"
#define SCANNED_ULP INVARIANT_OCTET_TERM_ULP
#define SCANNED_EXP(x, s, range_bits) term_vector(x, s, range_bits)
#define LEAST -1.0f
#define GREATEST 1.0f
#include "expkappa_invariant.c"
