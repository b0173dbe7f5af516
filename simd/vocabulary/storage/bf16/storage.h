// SPDX-License-Identifier: MIT
/* x and y as bfloat16, the high half of a float; storage/f32/storage.h defines each name. Widening
 * is a shift. Rounding, to nearest, ties to even, is done by integers, to the same bits on every
 * ISA: VCVTNEPS2BF16 would flush subnormals (the case bf16-flush counts them). */
#ifndef STORAGE_H
#define STORAGE_H

#include "half.h"

typedef uint16_t element;
#define DTYPE "bf16"

/* Converts an error to ulp of bf16, which has 16 bits fewer: the error before rounding, and half an
 * ulp for rounding. */
#define STORED_ULP(ulp) (0.5 + (ulp)*0x1p-16)

enum { STORED_FLOATS = 0, ELEMENT_VECTORS = 2 };

static inline vf bf16_widen(vh a) { return v_float(vi_shl(h_widen(a), 16)); }

/* Rounds to bf16. NaN stays NaN: it becomes quiet, so that a NaN with only low bits set does not
 * become an infinity. The test is by integers, which no policy deletes. */
static inline vh bf16_narrow(vf a)
{
    vi bits = v_bits(a), high = vi_shr(bits, 16), even = vi_and(high, vi_set1(1));
    vi rounded = vi_shr(vi_add(vi_add(bits, vi_set1(0x7fff)), even), 16);
    vm nan = vi_lt(vi_set1(0x7f800000), vi_and(bits, vi_set1(0x7fffffff)));
    vf word = v_select(nan, v_float(vi_or(high, vi_set1(0x40))), v_float(rounded));
    return h_narrow(v_bits(word));
}

static inline vf x_load(const element *p) { return bf16_widen(h_load(p)); }
static inline vf x_load_part(const element *p, size_t n, float fill)
{
    return v_first(bf16_widen(h_load_part(p, n)), n, fill);
}
static inline float x_at(const element *p)
{
    uint32_t bits = (uint32_t)*p << 16;
    float a;
    __builtin_memcpy(&a, &bits, sizeof a);
    return a;
}
static inline void y_store(element *p, vf a) { h_store(p, bf16_narrow(a)); }
static inline void y_store_part(element *p, vf a, size_t n) { h_store_part(p, bf16_narrow(a), n); }

#include "storage/widened.h"

#endif
