// SPDX-License-Identifier: MIT
/* 8-bit codes, 16 lanes: scalar/codes.h says what each operation means. */
#ifndef CODES_H
#define CODES_H

#include "vec.h"

static inline vf v_ceil(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}

static inline void codes_store(uint8_t *p, vi a)
{
    _mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtepi32_epi8(a));
}
static inline void codes_store_part(uint8_t *p, vi a, size_t n)
{
    _mm_mask_storeu_epi8(p, m_first(n), _mm512_cvtepi32_epi8(a));
}

static inline vi codes_load(const int8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
static inline vi codes_load_part(const int8_t *p, size_t n)
{
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(m_first(n), p));
}

#endif
