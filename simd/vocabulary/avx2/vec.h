// SPDX-License-Identifier: MIT
/* The vector vocabulary for AVX2 + FMA, 8 lanes. scalar/vec.h says what each operation means. */
#ifndef VEC_H
#define VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { VL = 8 };
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm; /* all ones or all zeros per lane */

static inline vf v_set1(float a) { return _mm256_set1_ps(a); }
static inline vi vi_set1(int32_t a) { return _mm256_set1_epi32(a); }

/* Sets the first n <= 8 lanes: a window that slides over eight ones and eight zeros. */
static inline vi vi_first(size_t n)
{
    static const int32_t window[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(const void *)(window + 8 - n));
}
static inline vf v_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void v_store(float *p, vf a) { _mm256_storeu_ps(p, a); }
static inline vf v_load_part(const float *p, size_t n, float fill)
{
    vi mask = vi_first(n);
    return _mm256_blendv_ps(v_set1(fill), _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask));
}
/* Stores in pieces of four, two and one, because the masked store is slow microcode on some
 * CPUs. */
static inline void v_store_part(float *p, vf a, size_t n)
{
    __m128 left = _mm256_castps256_ps128(a);
    if (n == VL) {
        v_store(p, a);
        return;
    }
    if (n & 4) {
        _mm_storeu_ps(p, left);
        left = _mm256_extractf128_ps(a, 1);
        p += 4;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, left);
        left = _mm_movehl_ps(left, left);
        p += 2;
    }
    if (n & 1) _mm_store_ss(p, left);
}
static inline vf v_first(vf a, size_t n, float fill)
{
    return _mm256_blendv_ps(v_set1(fill), a, _mm256_castsi256_ps(vi_first(n)));
}

static inline vf v_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf v_div(vf a, vf b) { return _mm256_div_ps(a, b); }
static inline vf v_sqrt(vf a) { return _mm256_sqrt_ps(a); }

static inline vf v_mad(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
static inline vf v_nmad(vf a, vf b, vf c) { return v_sub(c, v_mul(a, b)); }
static inline vf v_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline vf v_fnma(vf a, vf b, vf c) { return _mm256_fnmadd_ps(a, b, c); }

static inline vf v_max(vf a, vf b) { return _mm256_max_ps(a, b); }
static inline vf v_min(vf a, vf b) { return _mm256_min_ps(a, b); }
static inline vi v_bits(vf a) { return _mm256_castps_si256(a); }
static inline vf v_float(vi a) { return _mm256_castsi256_ps(a); }
static inline vf v_abs(vf a) { return _mm256_and_ps(a, v_float(vi_set1(0x7fffffff))); }

static inline vf v_round(vf a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vi v_to_int(vf a) { return _mm256_cvtps_epi32(a); }
static inline vf v_from_int(vi a) { return _mm256_cvtepi32_ps(a); }

static inline vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm256_sub_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm256_and_si256(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm256_or_si256(a, b); }
#define vi_shl(a, k) _mm256_slli_epi32(a, k)
#define vi_shr(a, k) _mm256_srli_epi32(a, k)
#define vi_sar(a, k) _mm256_srai_epi32(a, k)

static inline vm v_lt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline vm v_le(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
static inline vm v_eq(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
static inline vm v_unord(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
static inline vm vi_lt(vi a, vi b) { return v_float(_mm256_cmpgt_epi32(b, a)); }
static inline vm m_or(vm a, vm b) { return _mm256_or_ps(a, b); }
static inline vm m_and(vm a, vm b) { return _mm256_and_ps(a, b); }
static inline int m_any(vm a) { return _mm256_movemask_ps(a) != 0; }
static inline vf v_select(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, m); }

static inline vf v_barrier(vf a)
{
    __asm__ volatile("" : "+x"(a));
    return a;
}

#include "../scale.h"

static inline float v_sum(vf a)
{
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}
static inline float v_hmax(vf a)
{
    __m128 b = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_movehdup_ps(b)));
}

#endif
