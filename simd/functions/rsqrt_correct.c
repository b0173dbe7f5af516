// SPDX-License-Identifier: MIT
/* All results of rsqrt_own.c are correctly rounded; this name lists it among the kernels that
 * promise so, which holds where no policy approximates: clang's -ffast-math takes subnormals for
 * zero. */
// build: same=rsqrt_own policies=off,on,fast,default
#define ALGORITHM "correct"
#include "rsqrt_own.c"
