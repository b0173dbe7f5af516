// SPDX-License-Identifier: MIT
/* The vector vocabulary of doubles for AVX-512, 8 lanes. ../scalar/vec.h says which operations
 * there are. */
#ifndef VEC_H
#define VEC_H

#include "../first.h"

enum { VL = 8 };
typedef __m512d vf;
typedef __mmask8 vm;

static inline vf v_set1(double a) { return _mm512_set1_pd(a); }

static inline vm m_first(size_t n) { return (vm)((1u << n) - 1u); }
static inline vf v_load(const double *p) { return _mm512_loadu_pd(p); }
static inline void v_store(double *p, vf a) { _mm512_storeu_pd(p, a); }
static inline vf v_load_part(const double *p, size_t n, double fill)
{
    return _mm512_mask_loadu_pd(v_set1(fill), m_first(n), p);
}
static inline void v_store_part(double *p, vf a, size_t n)
{
    _mm512_mask_storeu_pd(p, m_first(n), a);
}
static inline vf v_first(vf a, size_t n, double fill)
{
    return _mm512_mask_blend_pd(m_first(n), v_set1(fill), a);
}
static inline vf v_load_floats(const fp32 *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline void v_store_floats(fp32 *p, vf a) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(a)); }

static inline vf v_add(vf a, vf b) { return _mm512_add_pd(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm512_sub_pd(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm512_mul_pd(a, b); }
static inline vf v_div(vf a, vf b) { return _mm512_div_pd(a, b); }
static inline vf v_mad(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
static inline vf v_nmad(vf a, vf b, vf c) { return v_sub(c, v_mul(a, b)); }
static inline vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_pd(a, b, c); }
static inline vf v_max(vf a, vf b) { return _mm512_max_pd(a, b); }
static inline vf v_min(vf a, vf b) { return _mm512_min_pd(a, b); }

static inline vm v_lt(vf a, vf b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline vm v_unord(vf a, vf b) { return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q); }
static inline int m_any(vm a) { return a != 0; }
static inline vf v_select(vm m, vf a, vf b) { return _mm512_mask_blend_pd(m, b, a); }

static inline double v_sum(vf a)
{
    __m256d h = _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    __m128d b = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
    return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}
static inline double v_hmax(vf a)
{
    __m256d h = _mm256_max_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    __m128d b = _mm_max_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
    return _mm_cvtsd_f64(_mm_max_sd(b, _mm_unpackhi_pd(b, b)));
}

#include "../words.h"

#endif
