// SPDX-License-Identifier: MIT
/* 16-bit words in memory, and F16C. scalar/half.h says what each operation means. */
#ifndef HALF_H
#define HALF_H

#include "vec.h"

typedef __m128i vh;

static inline vh h_load(const uint16_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}
static inline void h_store(uint16_t *p, vh a) { _mm_storeu_si128((__m128i *)(void *)p, a); }

/* Loads n words in pieces of four, two and one, because AVX2 has no masked access to 16-bit words.
 * It begins with the last piece, which goes into the highest lanes. */
static inline vh h_load_part(const uint16_t *p, size_t n)
{
    if (n >= 8) return h_load(p);
    uint64_t high = 0, low = 0;
    uint32_t two;
    if (n & 1) high = p[n - 1];
    if (n & 2) {
        __builtin_memcpy(&two, p + (n & 4), sizeof two);
        high = high << 32 | two;
    }
    if (!(n & 4)) return _mm_cvtsi64_si128((long long)high);
    __builtin_memcpy(&low, p, sizeof low);
    return _mm_set_epi64x((long long)high, (long long)low);
}
static inline void h_store_part(uint16_t *p, vh a, size_t n)
{
    if (n >= 8) {
        h_store(p, a);
        return;
    }
    if (n & 4) {
        _mm_storel_epi64((__m128i *)(void *)p, a);
        a = _mm_unpackhi_epi64(a, a);
        p += 4;
    }
    uint64_t rest = (uint64_t)_mm_cvtsi128_si64(a);
    if (n & 2) {
        __builtin_memcpy(p, &rest, sizeof(uint32_t));
        rest >>= 32;
        p += 2;
    }
    if (n & 1) *p = (uint16_t)rest;
}

static inline vi h_widen(vh a) { return _mm256_cvtepu16_epi32(a); }
static inline vh h_narrow(vi a)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

static inline vf f16_widen(vh a) { return _mm256_cvtph_ps(a); }
static inline float f16_at(uint16_t a) { return _cvtsh_ss(a); }
static inline vh f16_narrow(vf a)
{
    return _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

#endif
