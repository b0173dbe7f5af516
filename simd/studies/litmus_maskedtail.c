// SPDX-License-Identifier: MIT
/* y = scale x + 1/3, with the tail by AVX-512's masked instructions, which gcc never fuses: under a
 * policy that contracts, an element has one value in the body and another in the tail. For case
 * studies, on AVX-512 alone. */
// build: isas=avx512
#include <immintrin.h>

#include "kernel.h"

enum { LANES = 16 };

static void run(const struct job *j)
{
    __m512 scale = _mm512_set1_ps(j->scale), third = _mm512_set1_ps(0x1.555556p-2f);
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        size_t i = 0;
        for (; i + LANES <= j->n; i += LANES)
            _mm512_storeu_ps(y + i,
                             _mm512_add_ps(_mm512_mul_ps(_mm512_loadu_ps(x + i), scale), third));
        __mmask16 m = (__mmask16)((1u << (j->n - i)) - 1);
        __m512 v = _mm512_maskz_loadu_ps(m, x + i);
        v = _mm512_maskz_add_ps(m, _mm512_maskz_mul_ps(m, v, scale), third);
        _mm512_mask_storeu_ps(y + i, m, v);
    }
}

const struct kernel KERNEL = {
    .op = "litmus",
    .algorithm = "maskedtail",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 2,
    .bytes = 8,
    .lanes = LANES,
    .chains = 1,
    .study = true,
    .run = run,
};
