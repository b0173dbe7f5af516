// SPDX-License-Identifier: MIT
/* The names that unary_rows.h uses, as intrinsics for 4 lanes. */
#include "oracle/unary.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 4 };
typedef __m256d vd; /* doubles */
typedef __m256i vl; /* 64-bit integers */
typedef __m256d vm; /* truth values */

#define d_set1 _mm256_set1_pd
#define d_read _mm256_loadu_pd
#define d_store _mm256_storeu_pd
#define d_add _mm256_add_pd
#define d_sub _mm256_sub_pd
#define d_mul _mm256_mul_pd
#define d_div _mm256_div_pd
#define d_fma _mm256_fmadd_pd
#define d_fnma _mm256_fnmadd_pd
#define d_max _mm256_max_pd
#define d_min _mm256_min_pd
#define d_abs(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)

#define l_set1 _mm256_set1_epi64x
#define l_bits _mm256_castpd_si256
#define d_bits _mm256_castsi256_pd
#define l_add _mm256_add_epi64
#define l_sub _mm256_sub_epi64
#define l_or _mm256_or_si256
#define l_shl _mm256_slli_epi64
#define l_shr _mm256_srli_epi64

#define d_lt(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define d_eq(a, b) _mm256_cmp_pd(a, b, _CMP_EQ_OQ)
#define d_unord(a) _mm256_cmp_pd(a, a, _CMP_UNORD_Q)
#define m_or _mm256_or_pd
#define m_any(m) (_mm256_movemask_pd(m) != 0)

static inline vd d_load(const float *x)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
}

static inline vd d_select(vm m, vd a, vd b)
{
    return _mm256_blendv_pd(b, a, m);
}

#define UNARY_ROWS unary_rows_avx2
#include "oracle/unary_rows.h"
