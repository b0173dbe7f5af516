// SPDX-License-Identifier: MIT
/* A table of 256 bytes in four registers: vpermi2b looks up 128 bytes, and a code's top bit chooses
 * between two of them. scalar/lookup.h says what each name means. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "../avx512/lookup_table.h"

static inline void lookup_bytes(const struct lookup *t, const int8_t *x, int8_t *y)
{
    __m512i code = _mm512_loadu_si512(x);
    __m512i lower = _mm512_permutex2var_epi8(t->part[0], code, t->part[1]);
    __m512i upper = _mm512_permutex2var_epi8(t->part[2], code, t->part[3]);
    _mm512_storeu_si512(y, _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), lower, upper));
}

#endif
