// SPDX-License-Identifier: MIT
/* The names that unary_rows.h uses, as intrinsics for 8 lanes. */
#include "oracle/unary.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8 };
typedef __m512d vd;  /* doubles */
typedef __m512i vl;  /* 64-bit integers */
typedef __mmask8 vm; /* truth values */

#define d_set1 _mm512_set1_pd
#define d_read _mm512_loadu_pd
#define d_store _mm512_storeu_pd
#define d_add _mm512_add_pd
#define d_sub _mm512_sub_pd
#define d_mul _mm512_mul_pd
#define d_div _mm512_div_pd
#define d_fma _mm512_fmadd_pd
#define d_fnma _mm512_fnmadd_pd
#define d_max _mm512_max_pd
#define d_min _mm512_min_pd
#define d_abs _mm512_abs_pd

#define l_set1 _mm512_set1_epi64
#define l_bits _mm512_castpd_si512
#define d_bits _mm512_castsi512_pd
#define l_add _mm512_add_epi64
#define l_sub _mm512_sub_epi64
#define l_or _mm512_or_si512
#define l_shl _mm512_slli_epi64
#define l_shr _mm512_srli_epi64

#define d_lt(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define d_eq(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define d_unord(a) _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q)
#define m_any(m) ((m) != 0)

static inline vd d_load(const float *x)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));
}

static inline vm m_or(vm a, vm b)
{
    return (vm)(a | b);
}

static inline vd d_select(vm m, vd a, vd b)
{
    return _mm512_mask_blend_pd(m, b, a);
}

#define UNARY_ROWS unary_rows_avx512
#include "oracle/unary_rows.h"
