// SPDX-License-Identifier: MIT
/* The square root of one number by its instruction, because sqrtf may set errno. */
#ifndef ROOT_H
#define ROOT_H

#include "vec.h"

static inline float root_of(float a) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a))); }

#endif
