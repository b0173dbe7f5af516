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

static inline void i_stream(float *p, vf a) { _mm512_stream_ps(p, a); }
static inline void i_stream_end(void) { _mm_sfence(); }

#endif
