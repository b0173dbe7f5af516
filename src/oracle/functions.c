// SPDX-License-Identifier: MIT
#include "oracle/functions.h"

#include <float.h>
#include <math.h>
#include <sleef.h>

#include "oracle/lanes.h"

/* 4 lanes of AVX2 in SLEEF's flavour finz, with FMA, whose bits are the same on every CPU. */
#define exp4 Sleef_finz_expd4_u10avx2
#define log1p4 Sleef_finz_log1pd4_u10avx2

static __m256d minus_magnitude(__m256d x)
{
    return _mm256_or_pd(_mm256_set1_pd(-0.0), x);
}

/* Returns y, or the largest double where f(x) exceeds it: only f(infinity) is infinite. */
static __m256d finite4(__m256d x, __m256d y)
{
    __m256d infinity = _mm256_set1_pd(INFINITY), largest = _mm256_set1_pd(DBL_MAX);
    __m256d limit = _mm256_blendv_pd(largest, infinity, _mm256_cmp_pd(x, infinity, _CMP_EQ_OQ));
    return _mm256_min_pd(limit, y); /* min(a, NaN) is NaN */
}

static __m256d exp24(__m256d x)
{
    return finite4(x, Sleef_finz_exp2d4_u10avx2(x));
}

static __m256d expm14(__m256d x)
{
    return finite4(x, Sleef_finz_expm1d4_u10avx2(x));
}

/* Returns x / (1 + exp(-x)), from exp(-|x|), which cannot overflow and loses nothing in the tail.
 * Far below fp32's range x is bounded, because -inf times 0 is NaN; max(a, NaN) is NaN. */
static __m256d silu4(__m256d x)
{
    __m256d one = _mm256_set1_pd(1), e = exp4(minus_magnitude(x));
    __m256d bounded = _mm256_max_pd(_mm256_set1_pd(-1000), x);
    __m256d share = _mm256_div_pd(_mm256_blendv_pd(one, e, x), _mm256_add_pd(one, e));
    return _mm256_mul_pd(bounded, share);
}

/* Returns log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)): both are positive or zero. */
static __m256d softplus4(__m256d x)
{
    return _mm256_add_pd(_mm256_max_pd(_mm256_setzero_pd(), x), log1p4(exp4(minus_magnitude(x))));
}

/* x/2 (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3), as silu4() does it:
 * rounding u changes the result by 2 u 2^-52, which is 2^-45 where it leaves fp32's range. */
static __m256d gelutanh4(__m256d x)
{
    const __m256d one = _mm256_set1_pd(1), root = _mm256_set1_pd(0x1.9884533d43651p-1);
    __m256d cube = _mm256_mul_pd(_mm256_mul_pd(x, x), x);
    __m256d u =
        _mm256_mul_pd(root, _mm256_add_pd(x, _mm256_mul_pd(_mm256_set1_pd(0.044715), cube)));
    __m256d e = exp4(minus_magnitude(_mm256_add_pd(u, u)));
    __m256d bounded = _mm256_max_pd(_mm256_set1_pd(-1000), x);
    __m256d share = _mm256_div_pd(_mm256_blendv_pd(one, e, u), _mm256_add_pd(one, e));
    return _mm256_mul_pd(bounded, share);
}

static __m256d rsqrt4(__m256d x)
{
    return _mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(x));
}

/* Defines the row function NAME_row of a function of four lanes. */
#define ROW_OF(NAME, FOUR)                                                                         \
    void NAME##_row(const float *x, size_t n, const struct parameters *p, double *y,               \
                    struct oracle_row *facts)                                                      \
    {                                                                                              \
        (void)p;                                                                                   \
        *facts = (struct oracle_row){0};                                                           \
        for (size_t i = 0; i < n; i += 4) store4(y + i, n - i, FOUR(load4(x + i, n - i, 1)));      \
    }

ROW_OF(exp2, exp24)
ROW_OF(expm1, expm14)
ROW_OF(log1p, log1p4)
ROW_OF(tanh, Sleef_finz_tanhd4_u10avx2)
ROW_OF(erf, Sleef_finz_erfd4_u10avx2)
ROW_OF(silu, silu4)
ROW_OF(gelutanh, gelutanh4)
ROW_OF(softplus, softplus4)
ROW_OF(sin, Sleef_finz_sind4_u10avx2)
ROW_OF(cos, Sleef_finz_cosd4_u10avx2)
ROW_OF(rsqrt, rsqrt4)
