// SPDX-License-Identifier: MIT
/* y = kappa e^x as logsumexp/invariant computes its terms in rows of fewer than 128 elements
 * (exp_core.h: LOGARITHM_TERMS), for `ulplab scan`, as expkappa_invariant.c. x in [-1, 1] meets
 * every entry of the table with every remainder; beyond, a term also differs by a factor near 1,
 * which the logarithm corrects (STRETCH). Error, over all of these and the same on every ISA and
 * compiler: at most 0.953125 ulp, at -0x1.7168a4p-1. 8 bytes per element. */
// build: policies=off
#define SCANNED_ALGORITHM "terms"
#define SCANNED_ULP INVARIANT_TERM_ULP
#define SCANNED_EXP(x, s, range_bits) exp_vector(x, LOGARITHM_TERMS, s, range_bits)
#define LEAST -1.0f
#define GREATEST 1.0f
#include "expkappa_invariant.c"
