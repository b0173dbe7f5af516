// SPDX-License-Identifier: MIT
/* A dot product in one chain of eight lanes, and one in plain C, compiled once per language
 * standard and tuning, each into a shared object (scripts/litmus.mk), for the cases
 * default-contracts and tuning-changes-bits. Neither source nor flags say whether a product and a
 * sum may fuse. */
#include <immintrin.h>
#include <stddef.h>

float litmus_dot_lanes(const float *a, const float *b, size_t n);
float litmus_dot_plain(const float *a, const float *b, size_t n);

float litmus_dot_lanes(const float *a, const float *b, size_t n)
{
    __m256 sum = _mm256_setzero_ps();
    float lanes[8], total = 0;
    for (size_t i = 0; i + 8 <= n; i += 8)
        sum = _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)), sum);
    _mm256_storeu_ps(lanes, sum);
    for (int k = 0; k < 8; k++) total += lanes[k];
    return total;
}

float litmus_dot_plain(const float *a, const float *b, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
