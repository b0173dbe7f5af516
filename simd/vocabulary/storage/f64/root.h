// SPDX-License-Identifier: MIT
/* The square root in double: simd/vocabulary/root.h. */
#ifndef ROOT_H
#define ROOT_H

#include "vec.h"

static inline double root_of(double a) { return _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(a))); }

#endif
