// SPDX-License-Identifier: MIT
/* The vector vocabulary for SSE4.2 (x86-64-v2), 4 lanes, without FMA. scalar/vec.h says what each
 * operation means. v_fma() calls fmaf() of the C library lane by lane, which rounds once. */
#ifndef VEC_H
#define VEC_H

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { VL = 4 };
typedef __m128 vf;
typedef __m128i vi;
typedef __m128 vm; /* all ones or all zeros per lane */

static inline vf v_set1(float a) { return _mm_set1_ps(a); }
static inline vi vi_set1(int32_t a) { return _mm_set1_epi32(a); }
static inline vi v_bits(vf a) { return _mm_castps_si128(a); }
static inline vf v_float(vi a) { return _mm_castsi128_ps(a); }

static inline vf v_load(const float *p) { return _mm_loadu_ps(p); }
static inline void v_store(float *p, vf a) { _mm_storeu_ps(p, a); }
static inline void v_store_part(float *p, vf a, size_t n)
{
    if (n == VL) {
        v_store(p, a);
        return;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, a);
        a = _mm_movehl_ps(a, a);
        p += 2;
    }
    if (n & 1) _mm_store_ss(p, a);
}
static inline vf v_load_part(const float *p, size_t n, float fill)
{
    float lanes[VL] = {fill, fill, fill, fill};
    for (size_t i = 0; i < n && i < VL; i++) lanes[i] = p[i];
    return v_load(lanes);
}
/* Takes the first n <= 4 lanes: a window slides over four ones and four zeros. */
static inline vf v_first(vf a, size_t n, float fill)
{
    static const int32_t window[8] = {-1, -1, -1, -1};
    vi mask = _mm_loadu_si128((const __m128i *)(const void *)(window + 4 - n));
    return _mm_blendv_ps(v_set1(fill), a, v_float(mask));
}

static inline vf v_add(vf a, vf b) { return _mm_add_ps(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm_sub_ps(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm_mul_ps(a, b); }
static inline vf v_div(vf a, vf b) { return _mm_div_ps(a, b); }
static inline vf v_sqrt(vf a) { return _mm_sqrt_ps(a); }

static inline vf v_mad(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
static inline vf v_nmad(vf a, vf b, vf c) { return v_sub(c, v_mul(a, b)); }
static inline vf v_fma(vf a, vf b, vf c)
{
    float x[VL], y[VL], z[VL];
    v_store(x, a), v_store(y, b), v_store(z, c);
    for (size_t i = 0; i < VL; i++) x[i] = fmaf(x[i], y[i], z[i]);
    return v_load(x);
}
static inline vf v_fnma(vf a, vf b, vf c) { return v_fma(_mm_xor_ps(a, v_set1(-0.0f)), b, c); }

static inline vf v_max(vf a, vf b) { return _mm_max_ps(a, b); }
static inline vf v_min(vf a, vf b) { return _mm_min_ps(a, b); }
static inline vf v_abs(vf a) { return _mm_and_ps(a, v_float(vi_set1(0x7fffffff))); }

static inline vf v_round(vf a)
{
    return _mm_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vi v_to_int(vf a) { return _mm_cvtps_epi32(a); }
static inline vf v_from_int(vi a) { return _mm_cvtepi32_ps(a); }

static inline vi vi_add(vi a, vi b) { return _mm_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm_sub_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm_and_si128(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm_or_si128(a, b); }
#define vi_shl(a, k) _mm_slli_epi32(a, k)
#define vi_shr(a, k) _mm_srli_epi32(a, k)
#define vi_sar(a, k) _mm_srai_epi32(a, k)

static inline vm v_lt(vf a, vf b) { return _mm_cmplt_ps(a, b); }
static inline vm v_le(vf a, vf b) { return _mm_cmple_ps(a, b); }
static inline vm v_eq(vf a, vf b) { return _mm_cmpeq_ps(a, b); }
static inline vm v_unord(vf a, vf b) { return _mm_cmpunord_ps(a, b); }
static inline vm vi_lt(vi a, vi b) { return v_float(_mm_cmplt_epi32(a, b)); }
static inline vm m_or(vm a, vm b) { return _mm_or_ps(a, b); }
static inline vm m_and(vm a, vm b) { return _mm_and_ps(a, b); }
static inline int m_any(vm a) { return _mm_movemask_ps(a) != 0; }
static inline vf v_select(vm m, vf a, vf b) { return _mm_blendv_ps(b, a, m); }

static inline vf v_barrier(vf a)
{
    __asm__ volatile("" : "+x"(a));
    return a;
}

#include "../scale.h"

static inline float v_sum(vf a)
{
    a = _mm_add_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_add_ss(a, _mm_movehdup_ps(a)));
}
static inline float v_hmax(vf a)
{
    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_movehdup_ps(a)));
}

#endif
