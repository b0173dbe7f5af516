// SPDX-License-Identifier: MIT
/* The largest errors, in ulp over all 2^32 inputs, of the exponentials and logarithms in use, each
 * rounded up from what `ulplab scan` finds. Proven bounds build on them. A unary kernel and the
 * kernels that use the same function all declare the figure from here: a scan that finds more
 * fails. */
#ifndef SCANNED_H
#define SCANNED_H

#define OWN_EXP_ULP 0.933 /* under every policy that is held to promises: exp.h, log.h */
#define OWN_LOG_ULP 0.837
#define SLEEF_EXP_ULP 0.988 /* u10, built with FMA; the next two without */
#define SLEEF_LOG_ULP 0.629
#define SLEEFNOFMA_EXP_ULP 0.952
#define SLEEFNOFMA_LOG_ULP 0.629
#define GLIBC_EXP_ULP 0.502
#define GLIBC_LOG_ULP 0.818
#define INVARIANT_EXP_ULP 0.951        /* expkappa/invariant: invariant/exp_core.h */
#define INVARIANT_TERM_ULP 0.954       /* expkappa/terms */
#define INVARIANT_OCTET_TERM_ULP 1.635 /* expkappa/chained */

#endif
