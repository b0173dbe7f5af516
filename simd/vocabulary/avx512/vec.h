// SPDX-License-Identifier: MIT
/* The vector vocabulary for AVX-512 (F, BW, DQ, VL), 16 lanes. scalar/vec.h says what each
 * operation means. */
#ifndef VEC_H
#define VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { VL = 16 };
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;

static inline vf v_set1(float a) { return _mm512_set1_ps(a); }
static inline vi vi_set1(int32_t a) { return _mm512_set1_epi32(a); }

static inline vm m_first(size_t n) { return (vm)((1u << n) - 1u); }
static inline vf v_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store(float *p, vf a) { _mm512_storeu_ps(p, a); }
static inline vf v_load_part(const float *p, size_t n, float fill)
{
    return _mm512_mask_loadu_ps(v_set1(fill), m_first(n), p);
}
static inline void v_store_part(float *p, vf a, size_t n)
{
    _mm512_mask_storeu_ps(p, m_first(n), a);
}
static inline vf v_first(vf a, size_t n, float fill)
{
    return _mm512_mask_blend_ps(m_first(n), v_set1(fill), a);
}

static inline vf v_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf v_div(vf a, vf b) { return _mm512_div_ps(a, b); }
static inline vf v_sqrt(vf a) { return _mm512_sqrt_ps(a); }

static inline vf v_mad(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
static inline vf v_nmad(vf a, vf b, vf c) { return v_sub(c, v_mul(a, b)); }
static inline vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf v_fnma(vf a, vf b, vf c) { return _mm512_fnmadd_ps(a, b, c); }

static inline vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); }
static inline vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); }
static inline vi v_bits(vf a) { return _mm512_castps_si512(a); }
static inline vf v_float(vi a) { return _mm512_castsi512_ps(a); }
static inline vf v_abs(vf a) { return _mm512_abs_ps(a); }

static inline vf v_round(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vi v_to_int(vf a) { return _mm512_cvtps_epi32(a); }
static inline vf v_from_int(vi a) { return _mm512_cvtepi32_ps(a); }

static inline vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm512_sub_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm512_or_si512(a, b); }
#define vi_shl(a, k) _mm512_slli_epi32(a, k)
#define vi_shr(a, k) _mm512_srli_epi32(a, k)
#define vi_sar(a, k) _mm512_srai_epi32(a, k)

static inline vm v_lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline vm v_le(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline vm v_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
static inline vm v_unord(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
static inline vm vi_lt(vi a, vi b) { return _mm512_cmplt_epi32_mask(a, b); }
static inline vm m_or(vm a, vm b) { return (vm)(a | b); }
static inline vm m_and(vm a, vm b) { return (vm)(a & b); }
static inline int m_any(vm a) { return a != 0; }
static inline vf v_select(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }

static inline vf v_barrier(vf a)
{
    __asm__ volatile("" : "+v"(a));
    return a;
}

static inline vf v_scale(vf a, vf n) { return _mm512_scalef_ps(a, n); }
static inline vf v_scale_down(vf a, vf n) { return _mm512_scalef_ps(a, n); }

static inline vf v_frexp(vf a, vf *exponent)
{
    vf m = _mm512_getmant_ps(a, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
    vf e = _mm512_getexp_ps(a);
    *exponent = _mm512_mask_add_ps(e, v_lt(m, v_set1(1.0f)), e, v_set1(1.0f));
    return m;
}

static inline float v_sum(vf a)
{
    __m256 h = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}
static inline float v_hmax(vf a)
{
    __m256 h = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 b = _mm_max_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_movehdup_ps(b)));
}

#endif
