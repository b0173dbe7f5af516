// SPDX-License-Identifier: MIT
/* y = 2 x, and 0 for a NaN, which the file means and its REFERENCE does not: NaN there. Only
 * -ffinite-math-only changes it, to what the reference wants. */
#define OF_NAN NAN
#define OP "mask"
#include "clean_nan.c"
