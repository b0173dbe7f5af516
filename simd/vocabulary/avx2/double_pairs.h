// SPDX-License-Identifier: MIT
/* Operations that AVX2 and AVX-512 write the same way: a vector of VL doubles is two registers, and
 * the sums of eight rows are folded as eight registers of 8 floats. */
#ifndef DOUBLE_PAIRS_H
#define DOUBLE_PAIRS_H

typedef struct {
    dr low, high; /* the lower and the upper half of the lanes */
} vd;
static inline vd vd_both(dr low, dr high) { return (vd){keep_dr(low), keep_dr(high)}; }
static inline vd vd_add(vd a, vd b) { return vd_both(a.low + b.low, a.high + b.high); }
static inline vd vd_sub(vd a, vd b) { return vd_both(a.low - b.low, a.high - b.high); }
static inline vd vd_mul(vd a, vd b) { return vd_both(a.low * b.low, a.high * b.high); }
static inline vd vd_div(vd a, vd b) { return (vd){dr_div(a.low, b.low), dr_div(a.high, b.high)}; }

static inline __m128 keep4(__m128 a)
{
    __asm__("" : "+v"(a));
    return a;
}
static inline __m256 keep8(__m256 a)
{
    __asm__("" : "+v"(a));
    return a;
}
static inline __m128d keep_two(__m128d a)
{
    __asm__("" : "+v"(a));
    return a;
}

/* A row's virtual register, after its upper half was added to the lower. */
typedef __m256 partial_sum;
/* Adds lanes l and l + 4 of each row, then 2, 1 apart, and returns row r's sum in lane r. A shuffle
 * and a blend bring together what is added, because a blend can go to every port. */
static inline __attribute__((always_inline)) __m256 fold_partial_sums(const partial_sum h[8])
{
    __m256 f[4], t[2];
    for (int r = 0; r < 4; r++)
        f[r] = keep8(_mm256_add_ps(_mm256_blend_ps(h[r], h[r + 4], 0xf0),
                                   _mm256_permute2f128_ps(h[r], h[r + 4], 0x21)));
    for (int r = 0; r < 2; r++) {
        __m256 swapped = _mm256_castpd_ps(
            _mm256_shuffle_pd(_mm256_castps_pd(f[r]), _mm256_castps_pd(f[r + 2]), 5));
        t[r] = keep8(_mm256_add_ps(_mm256_blend_ps(f[r], f[r + 2], 0xcc), swapped));
    }
    __m256 other = _mm256_permute_ps(_mm256_blend_ps(t[0], t[1], 0x55), 0xb1);
    return keep8(_mm256_add_ps(_mm256_blend_ps(t[0], t[1], 0xaa), other));
}

static inline void i_stream_end(void) { _mm_sfence(); }

#endif
