// SPDX-License-Identifier: MIT
/* 16-bit words in memory, and IEEE half precision, for the storage types (simd/vocabulary/storage),
 * in one lane. F16C's conversions are done with integers here, to the same bits, NaNs included
 * (tests/test_storage.c compares all values). */
#ifndef HALF_H
#define HALF_H

#include "vec.h"

typedef uint16_t vh; /* VL 16-bit words */

/* Loads and stores of words at any alignment. The _part forms touch n <= VL words only; the rest is
 * 0. */
static inline vh h_load(const uint16_t *p) { return *p; }
static inline vh h_load_part(const uint16_t *p, size_t n) { return n ? *p : 0; }
static inline void h_store(uint16_t *p, vh a) { *p = a; }
static inline void h_store_part(uint16_t *p, vh a, size_t n)
{
    if (n) *p = a;
}

static inline vi h_widen(vh a) { return a; }            /* with zeros */
static inline vh h_narrow(vi a) { return (uint16_t)a; } /* of values below 2^16 */

/* Widens exactly. A signalling NaN becomes quiet. */
static inline vf f16_widen(vh a)
{
    uint32_t sign = (uint32_t)(a & 0x8000) << 16, size = a & 0x7fff;
    if (size > 0x7c00) return v_float((vi)(sign | 0x7fc00000 | size << 13));
    if (size == 0x7c00) return v_float((vi)(sign | 0x7f800000));
    if (size < 0x400)
        size = (uint32_t)v_bits((float)(vi)size * 0x1p-24f);
    else
        size = (size << 13) + (112u << 23);
    return v_float((vi)(sign | size));
}

static inline float f16_at(uint16_t a) { return f16_widen(a); }

/* Returns a 2^-shift as a whole number, rounded to nearest, ties to even. */
static inline uint32_t rounded_shift(uint32_t a, uint32_t shift)
{
    return (a + (1u << (shift - 1)) - 1 + (a >> shift & 1)) >> shift;
}

/* Rounds to nearest, ties to even; overflows to infinity, underflows gradually. */
static inline vh f16_narrow(vf a)
{
    uint32_t bits = (uint32_t)v_bits(a), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) return (vh)(sign | 0x7e00 | (size >> 13 & 0x3ff));
    if (size >= 0x477ff000)
        return (vh)(sign | 0x7c00); /* 65520, half an ulp above the largest half */
    if (size >= 0x38800000) return (vh)(sign | rounded_shift(size - (112u << 23), 13));
    if (size < 0x33000000) return (vh)sign; /* 2^-25, half of the smallest half */
    return (vh)(sign | rounded_shift((size & 0x7fffff) | 0x800000, 126 - (size >> 23)));
}

#endif
