// SPDX-License-Identifier: MIT
/* A table of 256 bytes without VBMI. vpermi2w looks up 64 words, so that two of them look up the
 * whole table as 128 words: a code's upper seven bits choose the word, its lowest bit the byte.
 * Codes at even and odd places are looked up separately. scalar/lookup.h says what each name
 * means. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "lookup_table.h"

/* Looks up the code in the low byte of each word. The entry is in the low byte of the result; its
 * high byte is undefined. */
static inline __m512i lookup_words(const struct lookup *t, __m512i code)
{
    __m512i word = _mm512_srli_epi16(code, 1);
    __m512i lower = _mm512_permutex2var_epi16(t->part[0], word, t->part[1]);
    __m512i upper = _mm512_permutex2var_epi16(t->part[2], word, t->part[3]);
    __mmask32 is_upper = _mm512_test_epi16_mask(code, _mm512_set1_epi16(0x80));
    __m512i odd = _mm512_slli_epi16(_mm512_and_si512(code, _mm512_set1_epi16(1)), 3);
    return _mm512_srlv_epi16(_mm512_mask_blend_epi16(is_upper, lower, upper), odd);
}

static inline void lookup_bytes(const struct lookup *t, const int8_t *x, int8_t *y)
{
    const __mmask64 odd = 0xaaaaaaaaaaaaaaaau;
    __m512i code = _mm512_loadu_si512(x);
    __m512i first = lookup_words(t, code), second = lookup_words(t, _mm512_srli_epi16(code, 8));
    _mm512_storeu_si512(y, _mm512_mask_blend_epi8(odd, first, _mm512_slli_epi16(second, 8)));
}

#endif
