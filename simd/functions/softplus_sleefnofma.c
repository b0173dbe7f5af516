// SPDX-License-Identifier: MIT
/* y = log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)), exp and log1p by SLEEF 3.5.1, built without
 * FMA. Text, bound and errors are those of softplus_sleef.c. */
// build: policies=off
#include "sleef_nofma.h"
#include "softplus_sleef.c"
