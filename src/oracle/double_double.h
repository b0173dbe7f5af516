// SPDX-License-Identifier: MIT
/* Double-doubles: sums in twice the precision of double by Knuth's TwoSum, in 4 lanes and in one.
 * They are correct only under strict arithmetic, which src/base/strict.h ensures. */
#ifndef ULPLAB_DOUBLE_DOUBLE_H
#define ULPLAB_DOUBLE_DOUBLE_H

#include <immintrin.h>

/* The number hi + lo. The error of a sum of n terms is below n^2 2^-106 of the sum of
 * magnitudes. */
struct double_double {
    double hi, lo;
};
struct double_double4 {
    __m256d hi, lo;
};

static inline struct double_double dd_add(struct double_double a, double b)
{
    double s = a.hi + b, t = s - a.hi;
    double error = (a.hi - (s - t)) + (b - t);
    return (struct double_double){s, a.lo + error};
}

static inline struct double_double4 dd4_add(struct double_double4 a, __m256d b)
{
    __m256d s = _mm256_add_pd(a.hi, b), t = _mm256_sub_pd(s, a.hi);
    __m256d error = _mm256_add_pd(_mm256_sub_pd(a.hi, _mm256_sub_pd(s, t)), _mm256_sub_pd(b, t));
    return (struct double_double4){s, _mm256_add_pd(a.lo, error)};
}

static inline struct double_double dd4_total(struct double_double4 a)
{
    double hi[4], lo[4];
    _mm256_storeu_pd(hi, a.hi);
    _mm256_storeu_pd(lo, a.lo);
    struct double_double sum = {hi[0], lo[0]};
    for (int i = 1; i < 4; i++) {
        sum = dd_add(sum, hi[i]);
        sum.lo += lo[i];
    }
    return sum;
}

/* Returns hi + lo = a * b exactly (Dekker), without FMA; |a|, |b| < 2^995. */
static inline struct double_double dd_product(double a, double b)
{
    double p = a * b, split = 0x1p27 + 1;
    double a_hi = a * split - (a * split - a), a_lo = a - a_hi;
    double b_hi = b * split - (b * split - b), b_lo = b - b_hi;
    return (struct double_double){p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

#endif
