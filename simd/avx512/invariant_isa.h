/* What simd/invariant.h needs of an ISA; simd/scalar/invariant_isa.h says what each means. Here a
 * virtual register is a register. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

static inline vf keep(vf a) { __asm__("" : "+v"(a)); return a; }
static inline __m256 keep8(__m256 a) { __asm__("" : "+v"(a)); return a; }
static inline __m128 keep4(__m128 a) { __asm__("" : "+v"(a)); return a; }

static inline vf i_max(vf a, vf b)
{
    vf r;
    __asm__("vmaxps %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
    return r;
}

/* The permute looks at four bits: the table stands there twice. */
typedef vi table8;
static inline table8 table8_load(const int32_t t[8])
{
    return _mm512_broadcast_i32x8(_mm256_loadu_si256((const __m256i *)(const void *)t));
}
static inline vi table8_at(table8 t, vi i) { return _mm512_permutexvar_epi32(i, t); }

static inline float i_sum(const vf a[1])
{
    __m256 s = keep8(_mm256_add_ps(_mm512_castps512_ps256(a[0]), _mm512_extractf32x8_ps(a[0], 1)));
    __m128 h = keep4(_mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1)));
    h = keep4(_mm_add_ps(h, _mm_movehl_ps(h, h)));
    return _mm_cvtss_f32(keep4(_mm_add_ss(h, _mm_movehdup_ps(h))));
}

struct wide {
    __m512d d;
};
static inline __m512d keep_wide(__m512d a) { __asm__("" : "+v"(a)); return a; }
static inline __m256d keep_four(__m256d a) { __asm__("" : "+v"(a)); return a; }
static inline __m128d keep_two(__m128d a) { __asm__("" : "+v"(a)); return a; }
static inline struct wide wide_add(struct wide w, const vf a[1])
{
    __m512d low = keep_wide(_mm512_cvtps_pd(_mm512_castps512_ps256(a[0])));
    __m512d high = keep_wide(_mm512_cvtps_pd(_mm512_extractf32x8_ps(a[0], 1)));
    w.d = keep_wide(_mm512_add_pd(w.d, keep_wide(_mm512_add_pd(low, high))));
    return w;
}
static inline double wide_sum(struct wide w)
{
    __m256d s = keep_four(_mm256_add_pd(_mm512_castpd512_pd256(w.d), _mm512_extractf64x4_pd(w.d, 1)));
    __m128d h = keep_two(_mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1)));
    return _mm_cvtsd_f64(keep_two(_mm_add_sd(h, _mm_unpackhi_pd(h, h))));
}

static inline void i_stream(float *p, vf a) { _mm512_stream_ps(p, a); }
static inline void i_stream_end(void) { _mm_sfence(); }

#endif
