/* A table of 256 bytes in four registers: vpermi2b looks up 128 bytes, and a code's top bit chooses
 * between two of them. scalar/lookup.h says what each name means. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <immintrin.h>
#include <stdint.h>

enum { LOOKUP_BYTES = 64 };
struct lookup {
    __m512i part[4]; /* entries for codes 64 i .. 64 i + 63, as unsigned bits */
};

static inline struct lookup lookup_open(const int8_t table[256])
{
    struct lookup t;
    for (int i = 0; i < 4; i++)
        t.part[i] = _mm512_loadu_si512(table + (128 + 64 * i) % 256);
    return t;
}

static inline void lookup_bytes(const struct lookup *t, const int8_t *x, int8_t *y)
{
    __m512i code = _mm512_loadu_si512(x);
    __m512i lower = _mm512_permutex2var_epi8(t->part[0], code, t->part[1]);
    __m512i upper = _mm512_permutex2var_epi8(t->part[2], code, t->part[3]);
    _mm512_storeu_si512(y, _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), lower, upper));
}

#endif
