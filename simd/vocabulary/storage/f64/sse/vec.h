// SPDX-License-Identifier: MIT
/* The vector vocabulary of doubles for SSE4.2, 2 lanes, without FMA. ../scalar/vec.h says which
 * operations there are. */
#ifndef VEC_H
#define VEC_H

#include "../first.h"

enum { VL = 2 };
typedef __m128d vf;
typedef __m128d vm;

static inline vf v_set1(double a) { return _mm_set1_pd(a); }
static inline vf v_load(const double *p) { return _mm_loadu_pd(p); }
static inline void v_store(double *p, vf a) { _mm_storeu_pd(p, a); }
static inline vf v_load_part(const double *p, size_t n, double fill)
{
    return n == VL ? v_load(p) : _mm_setr_pd(n ? *p : fill, fill);
}
static inline void v_store_part(double *p, vf a, size_t n)
{
    if (n == VL)
        v_store(p, a);
    else if (n)
        _mm_store_sd(p, a);
}
static inline vf v_first(vf a, size_t n, double fill)
{
    return n == VL ? a : n ? _mm_move_sd(v_set1(fill), a) : v_set1(fill);
}
static inline vf v_load_floats(const fp32 *p)
{
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p)));
}
static inline void v_store_floats(fp32 *p, vf a)
{
    _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(_mm_cvtpd_ps(a)));
}

static inline vf v_add(vf a, vf b) { return _mm_add_pd(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm_sub_pd(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm_mul_pd(a, b); }
static inline vf v_div(vf a, vf b) { return _mm_div_pd(a, b); }
static inline vf v_mad(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
static inline vf v_nmad(vf a, vf b, vf c) { return v_sub(c, v_mul(a, b)); }
static inline vf v_max(vf a, vf b) { return _mm_max_pd(a, b); }
static inline vf v_min(vf a, vf b) { return _mm_min_pd(a, b); }

static inline vm v_lt(vf a, vf b) { return _mm_cmplt_pd(a, b); }
static inline vm v_unord(vf a, vf b) { return _mm_cmpunord_pd(a, b); }
static inline int m_any(vm a) { return _mm_movemask_pd(a) != 0; }
static inline vf v_select(vm m, vf a, vf b) { return _mm_blendv_pd(b, a, m); }

static inline double v_sum(vf a) { return _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a))); }
static inline double v_hmax(vf a) { return _mm_cvtsd_f64(_mm_max_sd(a, _mm_unpackhi_pd(a, a))); }

#include "../words.h"

#endif
