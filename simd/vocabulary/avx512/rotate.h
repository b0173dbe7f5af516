// SPDX-License-Identifier: MIT
/* Lane i of v_rotate(a, by) is lane (i + by) mod VL of a. */
#ifndef ROTATE_H
#define ROTATE_H

#include "vec.h"

static inline vf v_rotate(vf a, size_t by)
{
    vi lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_ps(vi_add(lanes, vi_set1((int32_t)by)), a); /* modulo 16 */
}

#endif
