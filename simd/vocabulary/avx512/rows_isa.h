// SPDX-License-Identifier: MIT
/* The operations that simd/correct's rows need of an ISA beside invariant_isa.h; scalar/rows_isa.h
 * defines each name. Here a register holds 8 doubles. */
#ifndef ROWS_ISA_H
#define ROWS_ISA_H

#include "invariant_isa.h"

enum { DOUBLES = 8 };
static inline dr dr_set1(double a) { return _mm512_set1_pd(a); }
static inline dr dr_fma(dr a, dr b, dr c) { return keep_dr(_mm512_fmadd_pd(a, b, c)); }
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
static inline dr dr_abs(dr a) { return keep_dr(_mm512_abs_pd(a)); }
static inline dr dr_scaled(dr a, dr z)
{
    __m512i k = _mm512_slli_epi64(_mm512_castpd_si512(z), 52);
    return keep_dr(_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a), k)));
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

#endif
