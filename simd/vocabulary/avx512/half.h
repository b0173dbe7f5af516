// SPDX-License-Identifier: MIT
/* 16-bit words in memory, and the conversions of AVX-512 F. scalar/half.h says what each operation
 * means. */
#ifndef HALF_H
#define HALF_H

#include "vec.h"

typedef __m256i vh;

static inline vh h_load(const uint16_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline void h_store(uint16_t *p, vh a) { _mm256_storeu_si256((__m256i *)(void *)p, a); }
static inline vh h_load_part(const uint16_t *p, size_t n)
{
    return _mm256_maskz_loadu_epi16(m_first(n), p);
}
static inline void h_store_part(uint16_t *p, vh a, size_t n)
{
    _mm256_mask_storeu_epi16(p, m_first(n), a);
}

static inline vi h_widen(vh a) { return _mm512_cvtepu16_epi32(a); }
static inline vh h_narrow(vi a) { return _mm512_cvtepi32_epi16(a); }

static inline vf f16_widen(vh a) { return _mm512_cvtph_ps(a); }
static inline float f16_at(uint16_t a) { return _cvtsh_ss(a); }
static inline vh f16_narrow(vf a)
{
    return _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

#endif
