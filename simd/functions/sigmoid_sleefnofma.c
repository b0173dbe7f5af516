// SPDX-License-Identifier: MIT
/* y = 1 / (1 + exp(-x)), sigmoid.h's form of exp by SLEEF 3.5.1, built without FMA. Text, bound and
 * errors are those of sigmoid_sleef.c. */
// build: policies=off,fast
#include "sleef_nofma.h"
#include "sigmoid_sleef.c"
