// SPDX-License-Identifier: MIT
/* A table of 256 bytes by pshufb, which looks up 16 bytes. The low four bits of a code look up
 * every sixteenth of the table; the high four select one of these 16 results, one bit per level of
 * a binary tree (blendv selects by the top bit of a byte). scalar/lookup.h says what each name
 * means. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <immintrin.h>
#include <stdint.h>

enum { LOOKUP_BYTES = 32, LOOKUP_PARTS = 16 };
struct lookup {
    __m256i part[LOOKUP_PARTS]; /* entries for codes 16 i .. 16 i + 15, as unsigned bits; in both
                                   halves */
};

static inline struct lookup lookup_open(const int8_t table[256])
{
    struct lookup t;
    for (int i = 0; i < LOOKUP_PARTS; i++)
        t.part[i] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(table + (128 + 16 * i) % 256)));
    return t;
}

static inline void lookup_bytes(const struct lookup *t, const int8_t *x, int8_t *y)
{
    __m256i code = _mm256_loadu_si256((const __m256i *)(const void *)x), found[LOOKUP_PARTS];
    __m256i low = _mm256_and_si256(code, _mm256_set1_epi8(15));
    for (int i = 0; i < LOOKUP_PARTS; i++) found[i] = _mm256_shuffle_epi8(t->part[i], low);
    for (int bit = 4; bit < 8; bit++) {
        __m256i chosen_by = _mm256_slli_epi16(code, 7 - bit);
        for (int i = 0; i < 128 >> bit; i++)
            found[i] = _mm256_blendv_epi8(found[2 * i], found[2 * i + 1], chosen_by);
    }
    _mm256_storeu_si256((__m256i *)(void *)y, found[0]);
}

#endif
