/* Sums in twice the precision of double (Knuth's TwoSum), in 4 lanes and in one. What stands here
 * is right only under strict arithmetic: src/base/strict.h guards it. */
#ifndef ULPLAB_TWOFOLD_H
#define ULPLAB_TWOFOLD_H

#include <immintrin.h>

/* A number as hi + lo; error of a sum of n terms below n^2 2^-106 of the sum of magnitudes. */
struct twofold {
    double hi, lo;
};
struct twofold4 {
    __m256d hi, lo;
};

static inline struct twofold twofold_add(struct twofold a, double b)
{
    double s = a.hi + b, t = s - a.hi;
    double error = (a.hi - (s - t)) + (b - t);
    return (struct twofold){s, a.lo + error};
}

static inline struct twofold4 twofold4_add(struct twofold4 a, __m256d b)
{
    __m256d s = _mm256_add_pd(a.hi, b), t = _mm256_sub_pd(s, a.hi);
    __m256d error = _mm256_add_pd(_mm256_sub_pd(a.hi, _mm256_sub_pd(s, t)), _mm256_sub_pd(b, t));
    return (struct twofold4){s, _mm256_add_pd(a.lo, error)};
}

static inline struct twofold twofold4_total(struct twofold4 a)
{
    double hi[4], lo[4];
    _mm256_storeu_pd(hi, a.hi);
    _mm256_storeu_pd(lo, a.lo);
    struct twofold sum = {hi[0], lo[0]};
    for (int i = 1; i < 4; i++) {
        sum = twofold_add(sum, hi[i]);
        sum.lo += lo[i];
    }
    return sum;
}

/* a * b = hi + lo exactly (Dekker), without FMA; |a|, |b| < 2^995. */
static inline struct twofold twofold_product(double a, double b)
{
    double p = a * b, split = 0x1p27 + 1;
    double a_hi = a * split - (a * split - a), a_lo = a - a_hi;
    double b_hi = b * split - (b * split - b), b_lo = b - b_hi;
    return (struct twofold){p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

#endif
