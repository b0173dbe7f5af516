// SPDX-License-Identifier: MIT
/* y = x / (1 + exp(-x)), x times sigmoid.h's form of exp by SLEEF 3.5.1, built without FMA. Text,
 * bound and errors are those of silu_sleef.c. */
// build: policies=off
#include "sleef_nofma.h"
#include "silu_sleef.c"
