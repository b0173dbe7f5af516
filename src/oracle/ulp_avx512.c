#include <float.h>
#include <immintrin.h>

#include "oracle/ulp_tile.h"

/* 1 / ulp(y), as in ulp.c. */
static __m512d per_ulp(__m512d y)
{
    __m512d exponent_bits = _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff0000000000000));
    __m512d power = _mm512_max_pd(_mm512_and_pd(y, exponent_bits), _mm512_set1_pd(0x1p-126));
    __m512i fields = _mm512_set1_epi64((long long)((2046ull + 23) << 52));
    return _mm512_castsi512_pd(_mm512_sub_epi64(fields, _mm512_castpd_si512(power)));
}

/* Two times 4 lanes, as ulp.c keeps them, in its order. */
static double total(__m512d a)
{
    double v[4];
    _mm256_storeu_pd(v, _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1)));
    return (v[0] + v[1]) + (v[2] + v[3]);
}

bool ulp_tile_avx512(const float got[ULP_TILE], const double want[ULP_TILE], double error[ULP_TILE],
                     struct ulp_tile *t)
{
    __m512d sum = _mm512_setzero_pd(), signed_sum = sum, max = _mm512_set1_pd(-1);
    __mmask8 odd = 0;
    *t = (struct ulp_tile){0};
    for (int i = 0; i < ULP_TILE; i += 8) {
        __m512d g = _mm512_cvtps_pd(_mm256_loadu_ps(got + i)), w = _mm512_loadu_pd(want + i);
        __m512d difference = _mm512_mul_pd(_mm512_sub_pd(g, w), per_ulp(w));
        __m512d e = _mm512_abs_pd(difference);
        __mmask8 numbers =
            _mm512_cmp_pd_mask(_mm512_abs_pd(g), _mm512_set1_pd(FLT_MAX), _CMP_LE_OQ);
        numbers = _mm512_mask_cmp_pd_mask(numbers, _mm512_abs_pd(w), _mm512_set1_pd(0x1.ffffffp127),
                                          _CMP_LT_OQ);
        odd |= (__mmask8)~numbers | _mm512_movepi64_mask(_mm512_castpd_si512(_mm512_xor_pd(g, w))) |
               _mm512_cmp_pd_mask(g, _mm512_setzero_pd(), _CMP_EQ_OQ);
        sum = _mm512_add_pd(sum, e);
        signed_sum = _mm512_add_pd(signed_sum, difference);
        max = _mm512_max_pd(max, e);
        unsigned half = _mm512_cmp_pd_mask(e, _mm512_set1_pd(0.5), _CMP_GT_OQ);
        unsigned one = _mm512_cmp_pd_mask(e, _mm512_set1_pd(1), _CMP_GE_OQ);
        t->misrounded += (unsigned)__builtin_popcount(half);
        t->unfaithful += (unsigned)__builtin_popcount(one);
        _mm512_storeu_pd(error + i, e);
    }
    t->sum = total(sum);
    t->signed_sum = total(signed_sum);
    t->max = _mm512_reduce_max_pd(max);
    return !odd;
}
