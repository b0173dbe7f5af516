// SPDX-License-Identifier: MIT
/* Registers of 8 doubles, and their lanes as 64-bit integers. scalar/doubles.h says what each
 * operation means. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include "invariant_isa.h"

typedef __m512i dl;
enum { DOUBLES = 8 };

static inline dr dr_set1(double a) { return _mm512_set1_pd(a); }
static inline dr dr_fma(dr a, dr b, dr c) { return keep_dr(_mm512_fmadd_pd(a, b, c)); }

static inline dl dl_set1(int64_t a) { return _mm512_set1_epi64(a); }
static inline dl dl_add(dl a, dl b) { return _mm512_add_epi64(a, b); }
static inline dl dl_sub(dl a, dl b) { return _mm512_sub_epi64(a, b); }
static inline dl dl_and(dl a, dl b) { return _mm512_and_si512(a, b); }
static inline dl dl_or(dl a, dl b) { return _mm512_or_si512(a, b); }
static inline dl dl_xor(dl a, dl b) { return _mm512_xor_si512(a, b); }
#define dl_shl(a, k) _mm512_slli_epi64(a, k)
#define dl_shr(a, k) _mm512_srli_epi64(a, k)

static inline dl dl_of(dr a) { return _mm512_castpd_si512(a); }
static inline dr dr_of_bits(dl a) { return keep_dr(_mm512_castsi512_pd(a)); }

static inline dr dr_load(const double *p) { return keep_dr(_mm512_loadu_pd(p)); }
static inline void dr_store(double *p, dr a) { _mm512_storeu_pd(p, a); }
static inline dr dr_of_floats(const float *p)
{
    return keep_dr(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
}
static inline dr dr_of_first(const float *p, size_t n, float fill)
{
    __mmask8 first = (__mmask8)m_first(n);
    return keep_dr(_mm512_cvtps_pd(_mm256_mask_loadu_ps(_mm256_set1_ps(fill), first, p)));
}
static inline dr dr_unless_zero(dr d, dr a)
{
    __mmask8 zero = _mm512_cmpeq_epi64_mask(_mm512_slli_epi64(_mm512_castpd_si512(d), 1),
                                            _mm512_setzero_si512());
    return keep_dr(_mm512_mask_blend_pd(zero, a, _mm512_setzero_pd()));
}
static inline unsigned dr_round(float *y, dr low, dr high)
{
    __m256 a = keep8(_mm512_cvtpd_ps(low)), b = keep8(_mm512_cvtpd_ps(high));
    _mm256_storeu_ps(y, a);
    return _mm256_cmpneq_epi32_mask(_mm256_castps_si256(a), _mm256_castps_si256(b));
}
static inline unsigned dr_round_first(float *y, dr low, dr high, size_t n)
{
    __mmask8 first = (__mmask8)m_first(n);
    __m256 a = keep8(_mm512_cvtpd_ps(low)), b = keep8(_mm512_cvtpd_ps(high));
    _mm256_mask_storeu_ps(y, first, a);
    return _mm256_mask_cmpneq_epi32_mask(first, _mm256_castps_si256(a), _mm256_castps_si256(b));
}

static inline __attribute__((always_inline)) vd vd_each(vd a, dr (*f)(dr))
{
    return (vd){f(a.low), f(a.high)};
}
static inline double dr_sum(dr a) { return wide_sum((struct wide){a}); }

static inline int dr_any_middle(dr a)
{
    return _mm512_cmpeq_epi64_mask(dl_and(dl_of(a), dl_set1(0x1fffffff)), dl_set1(0x10000000));
}
static inline int vd_any_middle(vd a) { return dr_any_middle(a.low) | dr_any_middle(a.high); }

#include "doubles_any.h"

#endif
