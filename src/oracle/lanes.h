// SPDX-License-Identifier: MIT
/* Rows of floats as vectors of four doubles. */
#ifndef ULPLAB_LANES_H
#define ULPLAB_LANES_H

#include <immintrin.h>
#include <string.h>

/* Loads four elements; if fewer than four are left, `fill` replaces the others. */
static inline __m256d load4(const float *x, size_t left, float fill)
{
    if (left >= 4) return _mm256_cvtps_pd(_mm_loadu_ps(x));
    float four[4] = {fill, fill, fill, fill};
    memcpy(four, x, left * sizeof *x);
    return _mm256_cvtps_pd(_mm_loadu_ps(four));
}

static inline void store4(double *y, size_t left, __m256d a)
{
    if (left >= 4) {
        _mm256_storeu_pd(y, a);
    } else {
        double four[4];
        _mm256_storeu_pd(four, a);
        memcpy(y, four, left * sizeof *y);
    }
}

static inline __m256d magnitude(__m256d a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

#endif
