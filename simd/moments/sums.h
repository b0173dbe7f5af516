// SPDX-License-Identifier: MIT
/* The sums from which textbook, two-pass and corrected two-pass moments are computed. */
#ifndef SUMS_H
#define SUMS_H

#include "moments.h"

/* The number of independent chains: the latency of an addition times the additions that can start
 * per cycle. Loops over them are unrolled by pragma, because gcc otherwise unrolls too late to keep
 * the chains in registers. */
enum { CHAINS = 8 };

struct sums {
    float d, dd; /* sum of (x - a), sum of (x - a)^2 */
};
struct vector_sums {
    vf d, dd;
};

static inline struct vector_sums sums_step(struct vector_sums s, vf x, vf a)
{
    vf d = v_sub(x, a);
    return (struct vector_sums){v_add(s.d, d), v_mad(d, d, s.dd)};
}

static inline struct vector_sums sums_add(struct vector_sums a, struct vector_sums b)
{
    return (struct vector_sums){v_add(a.d, b.d), v_add(a.dd, b.dd)};
}

/* Returns both sums over a row. It is always inlined, so that a sum that the caller does not use
 * costs nothing, and neither does subtracting 0 (gcc would otherwise share one copy between two
 * passes). The missing elements of the tail are loaded as `shift`, so that they add zeros. */
static inline __attribute__((always_inline)) struct sums row_sums(const element *x, size_t n,
                                                                  float shift)
{
    vf a = v_set1(shift), zero = v_set1(0.0f);
    struct vector_sums s[CHAINS];
#pragma GCC unroll 8
    for (size_t k = 0; k < CHAINS; k++) s[k] = (struct vector_sums){zero, zero};
    size_t i = 0;
    for (; i + CHAINS * VL <= n; i += CHAINS * VL)
#pragma GCC unroll 8
        for (size_t k = 0; k < CHAINS; k++) s[k] = sums_step(s[k], x_load(x + i + k * VL), a);
    if (i + CHAINS / 2 * VL <= n) {
#pragma GCC unroll 8
        for (size_t k = 0; k < CHAINS / 2; k++) s[k] = sums_step(s[k], x_load(x + i + k * VL), a);
        i += CHAINS / 2 * VL;
    }
    for (; i + VL <= n; i += VL) s[4] = sums_step(s[4], x_load(x + i), a);
    s[5] = sums_step(s[5], x_load_part(x + i, n - i, shift), a);
#pragma GCC unroll 8
    for (size_t k = 0; k < CHAINS / 2; k++) s[k] = sums_add(s[k], s[k + CHAINS / 2]);
    struct vector_sums all = sums_add(sums_add(s[0], s[1]), sums_add(s[2], s[3]));
    return (struct sums){v_sum(all.d), v_sum(all.dd)};
}

#endif
