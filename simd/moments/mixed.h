// SPDX-License-Identifier: MIT
/* Moments of floats whose sums are kept in double, what many ship in place of a cascade: two passes
 * of CHAINS chains of doubles (doubles.h). Squares of floats are exact in double, and a sum of n
 * terms errs by at most n 2^-53 of their magnitudes, so that only the last rounding to fp32 is
 * seen. */
#ifndef MIXED_H
#define MIXED_H

#include "doubles.h"
#include "moments.h"

enum { CHAINS = 8 };

/* Returns the sum of (x - shift), or with `squared` of its squares. */
static inline __attribute__((always_inline)) double mixed_sum(const float *x, size_t n,
                                                              double shift, int squared)
{
    dr a = dr_set1(shift), s[CHAINS], rest = dr_set1(0);
#pragma GCC unroll 8
    for (size_t k = 0; k < CHAINS; k++) s[k] = dr_set1(0);
    size_t i = 0;
    for (; i + CHAINS * DOUBLES <= n; i += CHAINS * DOUBLES)
#pragma GCC unroll 8
        for (size_t k = 0; k < CHAINS; k++) {
            dr v = dr_of_floats(x + i + k * DOUBLES), d = squared ? dr_sub(v, a) : v;
            s[k] = squared ? dr_fma(d, d, s[k]) : dr_add(s[k], d);
        }
    for (; i + DOUBLES <= n; i += DOUBLES) {
        dr v = dr_of_floats(x + i), d = squared ? dr_sub(v, a) : v;
        rest = squared ? dr_fma(d, d, rest) : dr_add(rest, d);
    }
#pragma GCC unroll 8
    for (size_t k = 1; k < CHAINS; k++) s[0] = dr_add(s[0], s[k]);
    double sum = dr_sum(dr_add(s[0], rest));
    for (; i < n; i++) {
        double d = squared ? (double)x[i] - shift : (double)x[i];
        sum = squared ? __builtin_fma(d, d, sum) : sum + d;
    }
    return sum;
}

static inline struct moments mixed_moments(const float *x, size_t n)
{
    double count = (double)(ptrdiff_t)n, mean = mixed_sum(x, n, 0, 0) / count;
    return (struct moments){(float)mean, (float)(mixed_sum(x, n, mean, 1) / count)};
}

/* Instructions per vector of floats (struct vector_ops in include/kernel.h), in two vectors of
 * doubles: both passes convert; a sum; a difference, and the sum of its square. */
#define MIXED_FMA 2
#define MIXED_ADD 4
#define MIXED_OTHER 4

#endif
