// SPDX-License-Identifier: MIT
/* The vector vocabulary of doubles for AVX2 + FMA, 4 lanes. ../scalar/vec.h says which operations
 * there are. */
#ifndef VEC_H
#define VEC_H

#include "../first.h"

enum { VL = 4 };
typedef __m256d vf;
typedef __m256d vm; /* all ones or all zeros per lane */

static inline vf v_set1(double a) { return _mm256_set1_pd(a); }

/* Sets the first n <= 4 lanes: a window that slides over four ones and four zeros. */
static inline __m256i vi_first(size_t n)
{
    static const int64_t window[8] = {-1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(const void *)(window + 4 - n));
}
static inline vf v_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void v_store(double *p, vf a) { _mm256_storeu_pd(p, a); }
static inline vf v_load_part(const double *p, size_t n, double fill)
{
    __m256i mask = vi_first(n);
    return _mm256_blendv_pd(v_set1(fill), _mm256_maskload_pd(p, mask), _mm256_castsi256_pd(mask));
}
/* Stores in pieces of two and one, because the masked store is slow microcode on some CPUs. */
static inline void v_store_part(double *p, vf a, size_t n)
{
    __m128d left = _mm256_castpd256_pd128(a);
    if (n == VL) {
        v_store(p, a);
        return;
    }
    if (n & 2) {
        _mm_storeu_pd(p, left);
        left = _mm256_extractf128_pd(a, 1);
        p += 2;
    }
    if (n & 1) _mm_store_sd(p, left);
}
static inline vf v_first(vf a, size_t n, double fill)
{
    return _mm256_blendv_pd(v_set1(fill), a, _mm256_castsi256_pd(vi_first(n)));
}
static inline vf v_load_floats(const fp32 *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline void v_store_floats(fp32 *p, vf a) { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)); }

static inline vf v_add(vf a, vf b) { return _mm256_add_pd(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm256_sub_pd(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm256_mul_pd(a, b); }
static inline vf v_div(vf a, vf b) { return _mm256_div_pd(a, b); }
static inline vf v_mad(vf a, vf b, vf c) { return v_add(v_mul(a, b), c); }
static inline vf v_nmad(vf a, vf b, vf c) { return v_sub(c, v_mul(a, b)); }
static inline vf v_fma(vf a, vf b, vf c) { return _mm256_fmadd_pd(a, b, c); }
static inline vf v_max(vf a, vf b) { return _mm256_max_pd(a, b); }
static inline vf v_min(vf a, vf b) { return _mm256_min_pd(a, b); }

static inline vm v_lt(vf a, vf b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline vm v_unord(vf a, vf b) { return _mm256_cmp_pd(a, b, _CMP_UNORD_Q); }
static inline int m_any(vm a) { return _mm256_movemask_pd(a) != 0; }
static inline vf v_select(vm m, vf a, vf b) { return _mm256_blendv_pd(b, a, m); }

static inline double v_sum(vf a)
{
    __m128d b = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}
static inline double v_hmax(vf a)
{
    __m128d b = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_max_sd(b, _mm_unpackhi_pd(b, b)));
}

#include "../words.h"

#endif
