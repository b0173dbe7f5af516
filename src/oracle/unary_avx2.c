/* The vocabulary of unary_rows.h in 4 lanes. */
#include "oracle/unary.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 4 };
typedef __m256d vd;
typedef __m256i vl;
typedef __m256d vm;

static inline vd d_set1(double a)
{
    return _mm256_set1_pd(a);
}
static inline vl l_set1(int64_t a)
{
    return _mm256_set1_epi64x(a);
}
static inline vd d_load(const float *x)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
}
static inline void d_store(double *y, vd a)
{
    _mm256_storeu_pd(y, a);
}
static inline vd d_add(vd a, vd b)
{
    return _mm256_add_pd(a, b);
}
static inline vd d_sub(vd a, vd b)
{
    return _mm256_sub_pd(a, b);
}
static inline vd d_mul(vd a, vd b)
{
    return _mm256_mul_pd(a, b);
}
static inline vd d_div(vd a, vd b)
{
    return _mm256_div_pd(a, b);
}
static inline vd d_fma(vd a, vd b, vd c)
{
    return _mm256_fmadd_pd(a, b, c);
}
static inline vd d_fnma(vd a, vd b, vd c)
{
    return _mm256_fnmadd_pd(a, b, c);
}
static inline vd d_max(vd a, vd b)
{
    return _mm256_max_pd(a, b);
}
static inline vd d_min(vd a, vd b)
{
    return _mm256_min_pd(a, b);
}
static inline vl l_bits(vd a)
{
    return _mm256_castpd_si256(a);
}
static inline vd d_bits(vl a)
{
    return _mm256_castsi256_pd(a);
}
static inline vl l_add(vl a, vl b)
{
    return _mm256_add_epi64(a, b);
}
static inline vl l_sub(vl a, vl b)
{
    return _mm256_sub_epi64(a, b);
}
static inline vl l_or(vl a, vl b)
{
    return _mm256_or_si256(a, b);
}
#define l_shl(a, k) _mm256_slli_epi64(a, k)
#define l_shr(a, k) _mm256_srli_epi64(a, k)
static inline vm d_lt(vd a, vd b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline vm d_eq(vd a, vd b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
static inline vm d_unord(vd a)
{
    return _mm256_cmp_pd(a, a, _CMP_UNORD_Q);
}
static inline int m_any(vm m)
{
    return _mm256_movemask_pd(m) != 0;
}
static inline vm m_or(vm a, vm b)
{
    return _mm256_or_pd(a, b);
}
static inline vd d_select(vm m, vd a, vd b)
{
    return _mm256_blendv_pd(b, a, m);
}

#define UNARY_ROWS unary_rows_avx2
#include "oracle/unary_rows.h"
