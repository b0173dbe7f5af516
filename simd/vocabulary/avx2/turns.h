// SPDX-License-Identifier: MIT
/* scalar/turns.h in 8 lanes. 64-bit products exist only for even lanes: odd ones are first moved to
 * even places. */
#ifndef TURNS_H
#define TURNS_H

#include "turns_bits.h"
#include "vec.h"

/* Returns the low 64 bits of m (w[0] 2^32 + w[1] + w[2] 2^-32) for the even lanes. */
static inline vi turns_product(vi m, const vi w[3])
{
    vi low = _mm256_srli_epi64(_mm256_mul_epu32(m, w[2]), 32);
    vi middle = _mm256_add_epi64(_mm256_mul_epu32(m, w[1]), low);
    return _mm256_add_epi64(_mm256_slli_epi64(_mm256_mul_epu32(m, w[0]), 32), middle);
}

static inline struct turns turns_of(vi m, vi place)
{
    vi bits = _mm256_loadu_si256((const __m256i *)(const void *)turns_bits);
    vi word = vi_shr(place, 5), shift = vi_and(place, vi_set1(31)),
       back = vi_sub(vi_set1(32), shift);
    vi next = _mm256_permutevar8x32_epi32(bits, word), w[3], odd[3];
    for (int i = 0; i < 3; i++) {
        vi here = next;
        next = _mm256_permutevar8x32_epi32(bits, vi_add(word, vi_set1(i + 1)));
        w[i] = vi_or(_mm256_sllv_epi32(here, shift), _mm256_srlv_epi32(next, back));
        odd[i] = _mm256_srli_epi64(w[i], 32);
    }
    vi of_even = turns_product(m, w), of_odd = turns_product(_mm256_srli_epi64(m, 32), odd);
    return (struct turns){
        .high = _mm256_blend_epi32(_mm256_srli_epi64(of_even, 32), of_odd, 0xaa),
        .low = _mm256_blend_epi32(of_even, _mm256_slli_epi64(of_odd, 32), 0xaa),
    };
}

#endif
