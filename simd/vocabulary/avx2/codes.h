// SPDX-License-Identifier: MIT
/* 8-bit codes, 8 lanes: scalar/codes.h says what each operation means. */
#ifndef CODES_H
#define CODES_H

#include <string.h>

#include "vec.h"

static inline vf v_ceil(vf a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}

/* Returns the low byte of each lane: gathered within each 128-bit half, then both halves joined. */
static inline __m128i low_bytes(vi a)
{
    const __m128i every_fourth = _mm_setr_epi8(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    vi b = _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(every_fourth));
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
}
static inline void codes_store(uint8_t *p, vi a)
{
    _mm_storel_epi64((__m128i *)(void *)p, low_bytes(a));
}
static inline void codes_store_part(uint8_t *p, vi a, size_t n)
{
    uint8_t bytes[VL];
    codes_store(bytes, a);
    memcpy(p, bytes, n);
}

static inline vi codes_load(const int8_t *p)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
static inline vi codes_load_part(const int8_t *p, size_t n)
{
    int8_t bytes[VL] = {0};
    memcpy(bytes, p, n);
    return codes_load(bytes);
}

#endif
