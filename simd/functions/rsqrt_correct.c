// SPDX-License-Identifier: MIT
/* All results of rsqrt_own.c are correctly rounded; this name lists it among the kernels that
 * promise so. */
// build: same=rsqrt_own
#define ALGORITHM "correct"
#include "rsqrt_own.c"
