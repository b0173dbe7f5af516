// SPDX-License-Identifier: MIT
/* A table of 256 bytes in four vectors, for lookup.h of AVX-512 with and without VBMI. */
#ifndef LOOKUP_TABLE_H
#define LOOKUP_TABLE_H

#include <immintrin.h>
#include <stdint.h>

enum { LOOKUP_BYTES = 64 };
struct lookup {
    __m512i part[4]; /* entries for codes 64 i .. 64 i + 63, as unsigned bits */
};

static inline struct lookup lookup_open(const int8_t table[256])
{
    struct lookup t;
    for (int i = 0; i < 4; i++) t.part[i] = _mm512_loadu_si512(table + (128 + 64 * i) % 256);
    return t;
}

#endif
