/* The vocabulary of unary_rows.h in 8 lanes. */
#include "oracle/unary.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8 };
typedef __m512d vd;
typedef __m512i vl;
typedef __mmask8 vm;

static inline vd d_set1(double a)
{
    return _mm512_set1_pd(a);
}
static inline vl l_set1(int64_t a)
{
    return _mm512_set1_epi64(a);
}
static inline vd d_load(const float *x)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));
}
static inline void d_store(double *y, vd a)
{
    _mm512_storeu_pd(y, a);
}
static inline vd d_add(vd a, vd b)
{
    return _mm512_add_pd(a, b);
}
static inline vd d_sub(vd a, vd b)
{
    return _mm512_sub_pd(a, b);
}
static inline vd d_mul(vd a, vd b)
{
    return _mm512_mul_pd(a, b);
}
static inline vd d_div(vd a, vd b)
{
    return _mm512_div_pd(a, b);
}
static inline vd d_fma(vd a, vd b, vd c)
{
    return _mm512_fmadd_pd(a, b, c);
}
static inline vd d_fnma(vd a, vd b, vd c)
{
    return _mm512_fnmadd_pd(a, b, c);
}
static inline vd d_max(vd a, vd b)
{
    return _mm512_max_pd(a, b);
}
static inline vd d_min(vd a, vd b)
{
    return _mm512_min_pd(a, b);
}
static inline vl l_bits(vd a)
{
    return _mm512_castpd_si512(a);
}
static inline vd d_bits(vl a)
{
    return _mm512_castsi512_pd(a);
}
static inline vl l_add(vl a, vl b)
{
    return _mm512_add_epi64(a, b);
}
static inline vl l_sub(vl a, vl b)
{
    return _mm512_sub_epi64(a, b);
}
static inline vl l_or(vl a, vl b)
{
    return _mm512_or_si512(a, b);
}
#define l_shl(a, k) _mm512_slli_epi64(a, k)
#define l_shr(a, k) _mm512_srli_epi64(a, k)
static inline vm d_lt(vd a, vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline vm d_eq(vd a, vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
static inline vm d_unord(vd a)
{
    return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q);
}
static inline int m_any(vm m)
{
    return m != 0;
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
