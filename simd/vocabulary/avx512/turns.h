// SPDX-License-Identifier: MIT
/* scalar/turns.h in 16 lanes. 64-bit products exist only for even lanes: odd ones are first moved
 * to even places. */
#ifndef TURNS_H
#define TURNS_H

#include "turns_bits.h"
#include "vec.h"

/* Returns the low 64 bits of m (w[0] 2^32 + w[1] + w[2] 2^-32) for the even lanes. */
static inline vi turns_product(vi m, const vi w[3])
{
    vi low = _mm512_srli_epi64(_mm512_mul_epu32(m, w[2]), 32);
    vi middle = _mm512_add_epi64(_mm512_mul_epu32(m, w[1]), low);
    return _mm512_add_epi64(_mm512_slli_epi64(_mm512_mul_epu32(m, w[0]), 32), middle);
}

static inline struct turns turns_of(vi m, vi place)
{
    const __mmask16 odd_lanes = 0xaaaa;
    vi bits = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *)turns_bits));
    vi word = vi_shr(place, 5), shift = vi_and(place, vi_set1(31)),
       back = vi_sub(vi_set1(32), shift);
    vi next = _mm512_permutexvar_epi32(word, bits), w[3], odd[3];
    for (int i = 0; i < 3; i++) {
        vi here = next;
        next = _mm512_permutexvar_epi32(vi_add(word, vi_set1(i + 1)), bits);
        w[i] = vi_or(_mm512_sllv_epi32(here, shift), _mm512_srlv_epi32(next, back));
        odd[i] = _mm512_srli_epi64(w[i], 32);
    }
    vi of_even = turns_product(m, w), of_odd = turns_product(_mm512_srli_epi64(m, 32), odd);
    return (struct turns){
        .high = _mm512_mask_blend_epi32(odd_lanes, _mm512_srli_epi64(of_even, 32), of_odd),
        .low = _mm512_mask_blend_epi32(odd_lanes, of_even, _mm512_slli_epi64(of_odd, 32)),
    };
}

#endif
