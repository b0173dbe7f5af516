// SPDX-License-Identifier: MIT
/* y = x/2 (1 + erf(x / sqrt 2)) as it is usually written, with SLEEF 3.5.1's erf, built without
 * FMA. Text, bound and errors are those of gelu_sleef.c. */
// build: policies=off,fast
#include "sleef_nofma.h"
#include "gelu_sleef.c"
