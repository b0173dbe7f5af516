// SPDX-License-Identifier: MIT
/* Gives SLEEF's functions that were built without FMA the names of those with it: a kernel's file
 * that includes this first, and then the kernel of those with FMA, is the same kernel of these. */
#ifndef SLEEF_NOFMA_H
#define SLEEF_NOFMA_H

#include "scanned.h"
#include "sleef_vec.h"

#define ALGORITHM "sleefnofma"
#define sleef_exp sleefnofma_exp
#define sleef_log sleefnofma_log
#define sleef_log1p sleefnofma_log1p
#define sleef_erf sleefnofma_erf
#undef SLEEF_EXP_ULP
#undef SLEEF_LOG_ULP
#define SLEEF_EXP_ULP SLEEFNOFMA_EXP_ULP
#define SLEEF_LOG_ULP SLEEFNOFMA_LOG_ULP

#endif
