// SPDX-License-Identifier: MIT
/* The instructions of AVX-512 FP16 that simd/vocabulary/avx512fp16/fp16.h uses, emulated by AVX-512
 * F and BW as Intel's manual defines them, so that a machine without them can test that header. A
 * __m512h is then a __m512i. */
#ifndef ULPLAB_TEST_AVX512FP16_H
#define ULPLAB_TEST_AVX512FP16_H

#include <immintrin.h>

#define EMULATED static inline __attribute__((always_inline))

EMULATED __m512 emulated_half(__m512i a, int half)
{
    return _mm512_cvtph_ps(half ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a));
}
EMULATED __m512i emulated_join(__m512 low, __m512 high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtps_ph(low, 0)),
                              _mm512_cvtps_ph(high, 0), 1);
}

/* vaddph, vsubph, vmaxph compute lane by lane: the sum of two halves in fp32, rounded once more, is
 * the correctly rounded sum (simd/studies/rounded.h). */
EMULATED __m512i emulated_add(__m512i a, __m512i b)
{
    return emulated_join(_mm512_add_ps(emulated_half(a, 0), emulated_half(b, 0)),
                         _mm512_add_ps(emulated_half(a, 1), emulated_half(b, 1)));
}
EMULATED __m512i emulated_sub(__m512i a, __m512i b)
{
    return emulated_join(_mm512_sub_ps(emulated_half(a, 0), emulated_half(b, 0)),
                         _mm512_sub_ps(emulated_half(a, 1), emulated_half(b, 1)));
}
EMULATED __m512i emulated_max(__m512i a, __m512i b)
{
    return emulated_join(_mm512_max_ps(emulated_half(a, 0), emulated_half(b, 0)),
                         _mm512_max_ps(emulated_half(a, 1), emulated_half(b, 1)));
}

/* vcmpph: one mask bit per lane. */
#define emulated_compare(a, b, how)                                                                \
    ((__mmask32)_mm512_cmp_ps_mask(emulated_half(a, 0), emulated_half(b, 0), how) |                \
     (__mmask32)_mm512_cmp_ps_mask(emulated_half(a, 1), emulated_half(b, 1), how) << 16)

#undef _mm512_cmp_ph_mask /* a macro in compilers that have it */
#define __m512h __m512i
#define _mm512_castsi512_ph(a) (a)
#define _mm512_castph_si512(a) (a)
#define _mm512_add_ph emulated_add
#define _mm512_sub_ph emulated_sub
#define _mm512_max_ph emulated_max
#define _mm512_cmp_ph_mask emulated_compare
#define _mm512_mask_blend_ph _mm512_mask_blend_epi16

#endif
