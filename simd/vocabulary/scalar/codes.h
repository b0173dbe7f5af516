// SPDX-License-Identifier: MIT
/* Operations of kernels that write or read 8-bit codes, beyond the vocabulary, in one lane. The
 * meaning of each operation is defined here; avx2/codes.h and avx512/codes.h do the same in every
 * lane. */
#ifndef CODES_H
#define CODES_H

#include "vec.h"

/* Returns the smallest integer >= a, by the instruction. */
static inline vf v_ceil(vf a)
{
    __m128 v = _mm_set_ss(a);
    return _mm_cvtss_f32(_mm_round_ss(v, v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
}

/* Stores the low byte of each lane; the _part form touches n <= VL bytes only. */
static inline void codes_store(uint8_t *p, vi a) { *p = (uint8_t)a; }
static inline void codes_store_part(uint8_t *p, vi a, size_t n)
{
    if (n) *p = (uint8_t)a;
}

/* Loads bytes as signed numbers; lanes from n on are 0. */
static inline vi codes_load(const int8_t *p) { return *p; }
static inline vi codes_load_part(const int8_t *p, size_t n) { return n ? *p : 0; }

#endif
