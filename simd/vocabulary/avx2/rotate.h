// SPDX-License-Identifier: MIT
/* Lane i of v_rotate(a, by) is lane (i + by) mod VL of a. */
#ifndef ROTATE_H
#define ROTATE_H

#include "vec.h"

static inline vf v_rotate(vf a, size_t by)
{
    vi lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_permutevar8x32_ps(a, vi_add(lanes, vi_set1((int32_t)by))); /* modulo 8 */
}

#endif
