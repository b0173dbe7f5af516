/* What simd/invariant.h needs of an ISA; simd/scalar/invariant_isa.h says what each means. Here a
 * virtual register is two of 8 lanes. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

static inline vf keep(vf a) { __asm__("" : "+x"(a)); return a; }
static inline __m128 keep4(__m128 a) { __asm__("" : "+x"(a)); return a; }

static inline vf i_max(vf a, vf b)
{
    vf r;
    __asm__("vmaxps %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}

typedef vi table8;
static inline table8 table8_load(const int32_t t[8])
{
    return _mm256_loadu_si256((const __m256i *)(const void *)t);
}
static inline vi table8_at(table8 t, vi i) { return _mm256_permutevar8x32_epi32(t, i); }

static inline float i_sum(const vf a[2])
{
    vf s = keep(_mm256_add_ps(a[0], a[1]));
    __m128 h = keep4(_mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1)));
    h = keep4(_mm_add_ps(h, _mm_movehl_ps(h, h)));
    return _mm_cvtss_f32(keep4(_mm_add_ss(h, _mm_movehdup_ps(h))));
}

struct wide {
    __m256d d[2];
};
static inline __m256d keep_wide(__m256d a) { __asm__("" : "+x"(a)); return a; }
static inline __m128d keep_two(__m128d a) { __asm__("" : "+x"(a)); return a; }
static inline __m256d wide_quarter(__m128 a, __m128 b)
{
    return keep_wide(_mm256_add_pd(keep_wide(_mm256_cvtps_pd(a)), keep_wide(_mm256_cvtps_pd(b))));
}
static inline struct wide wide_add(struct wide w, const vf a[2])
{
    __m256d low = wide_quarter(_mm256_castps256_ps128(a[0]), _mm256_castps256_ps128(a[1]));
    __m256d high = wide_quarter(_mm256_extractf128_ps(a[0], 1), _mm256_extractf128_ps(a[1], 1));
    w.d[0] = keep_wide(_mm256_add_pd(w.d[0], low));
    w.d[1] = keep_wide(_mm256_add_pd(w.d[1], high));
    return w;
}
static inline double wide_sum(struct wide w)
{
    __m256d s = keep_wide(_mm256_add_pd(w.d[0], w.d[1]));
    __m128d h = keep_two(_mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1)));
    return _mm_cvtsd_f64(keep_two(_mm_add_sd(h, _mm_unpackhi_pd(h, h))));
}

static inline void i_stream(float *p, vf a) { _mm256_stream_ps(p, a); }
static inline void i_stream_end(void) { _mm_sfence(); }

#endif
