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

static inline void i_stream(float *p, vf a) { _mm256_stream_ps(p, a); }
static inline void i_stream_end(void) { _mm_sfence(); }

#endif
