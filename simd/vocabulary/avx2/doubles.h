// SPDX-License-Identifier: MIT
/* Registers of 4 doubles, and their lanes as 64-bit integers. scalar/doubles.h says what each
 * operation means. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include "invariant_isa.h"

typedef __m256i dl;
enum { DOUBLES = 4 };

static inline dr dr_set1(double a) { return _mm256_set1_pd(a); }
static inline dr dr_fma(dr a, dr b, dr c) { return keep_dr(_mm256_fmadd_pd(a, b, c)); }

static inline dl dl_set1(int64_t a) { return _mm256_set1_epi64x(a); }
static inline dl dl_add(dl a, dl b) { return _mm256_add_epi64(a, b); }
static inline dl dl_sub(dl a, dl b) { return _mm256_sub_epi64(a, b); }
static inline dl dl_and(dl a, dl b) { return _mm256_and_si256(a, b); }
static inline dl dl_or(dl a, dl b) { return _mm256_or_si256(a, b); }
static inline dl dl_xor(dl a, dl b) { return _mm256_xor_si256(a, b); }
#define dl_shl(a, k) _mm256_slli_epi64(a, k)
#define dl_shr(a, k) _mm256_srli_epi64(a, k)

static inline dl dl_of(dr a) { return _mm256_castpd_si256(a); }
static inline dr dr_of_bits(dl a) { return keep_dr(_mm256_castsi256_pd(a)); }

static inline dr dr_load(const double *p) { return keep_dr(_mm256_loadu_pd(p)); }
static inline void dr_store(double *p, dr a) { _mm256_storeu_pd(p, a); }
static inline dr dr_of_floats(const float *p) { return keep_dr(_mm256_cvtps_pd(_mm_loadu_ps(p))); }
static inline __m128i first_of_four(size_t n)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
}
static inline dr dr_of_first(const float *p, size_t n, float fill)
{
    __m128i first = first_of_four(n);
    __m128 a = _mm_maskload_ps(p, first);
    return keep_dr(_mm256_cvtps_pd(_mm_blendv_ps(_mm_set1_ps(fill), a, _mm_castsi128_ps(first))));
}
static inline dr dr_unless_zero(dr d, dr a)
{
    __m256i zero =
        _mm256_cmpeq_epi64(_mm256_slli_epi64(_mm256_castpd_si256(d), 1), _mm256_setzero_si256());
    return keep_dr(_mm256_andnot_pd(_mm256_castsi256_pd(zero), a));
}
static inline unsigned four_differ(__m128 a, __m128 b)
{
    __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(a), _mm_castps_si128(b));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(same)) ^ 15;
}
static inline unsigned dr_round(float *y, dr low, dr high)
{
    __m128 a = keep4(_mm256_cvtpd_ps(low)), b = keep4(_mm256_cvtpd_ps(high));
    _mm_storeu_ps(y, a);
    return four_differ(a, b);
}
static inline unsigned dr_round_first(float *y, dr low, dr high, size_t n)
{
    __m128 a = keep4(_mm256_cvtpd_ps(low)), b = keep4(_mm256_cvtpd_ps(high));
    _mm_maskstore_ps(y, first_of_four(n), a);
    return four_differ(a, b) & ((1u << n) - 1);
}

static inline __attribute__((always_inline)) vd vd_each(vd a, dr (*f)(dr))
{
    return (vd){f(a.low), f(a.high)};
}
static inline double dr_sum(dr a)
{
    __m128d h = keep_two(_mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1)));
    return _mm_cvtsd_f64(keep_two(_mm_add_sd(h, _mm_unpackhi_pd(h, h))));
}

static inline int dr_any_middle(dr a)
{
    return _mm256_movemask_epi8(
        _mm256_cmpeq_epi64(dl_and(dl_of(a), dl_set1(0x1fffffff)), dl_set1(0x10000000)));
}
static inline int vd_any_middle(vd a) { return dr_any_middle(a.low) | dr_any_middle(a.high); }

#include "doubles_any.h"

#endif
