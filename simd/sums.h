/* The sums of which textbook, two-pass and corrected two-pass moments are made. */
#ifndef SUMS_H
#define SUMS_H

#include "moments.h"

/* Independent chains: 4 cycles of an addition's latency on 2 ports. */
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

/* Chain k takes in chain k + width, for every k below `width`. */
static inline void sums_fold(struct vector_sums *s, size_t width)
{
    for (size_t k = 0; k < width; k++)
        s[k] = (struct vector_sums){v_add(s[k].d, s[k + width].d), v_add(s[k].dd, s[k + width].dd)};
}

/* Both sums over a row; what a caller leaves unused costs nothing once this is inlined, and
 * a = 0 costs no subtraction. The tail's missing elements are a: they add zeros. */
static inline struct sums row_sums(const float *x, size_t n, float shift)
{
    vf a = v_set1(shift), zero = v_set1(0.0f);
    struct vector_sums s[CHAINS];
    for (size_t k = 0; k < CHAINS; k++) s[k] = (struct vector_sums){zero, zero};
    size_t i = 0;
    for (; i + CHAINS * VL <= n; i += CHAINS * VL)
        for (size_t k = 0; k < CHAINS; k++) s[k] = sums_step(s[k], v_load(x + i + k * VL), a);
    if (i + CHAINS / 2 * VL <= n) {
        for (size_t k = 0; k < CHAINS / 2; k++) s[k] = sums_step(s[k], v_load(x + i + k * VL), a);
        i += CHAINS / 2 * VL;
    }
    for (; i + VL <= n; i += VL) s[4] = sums_step(s[4], v_load(x + i), a);
    s[5] = sums_step(s[5], v_load_part(x + i, n - i, shift), a);
    for (size_t width = CHAINS / 2; width; width /= 2) sums_fold(s, width);
    return (struct sums){v_sum(s[0].d), v_sum(s[0].dd)};
}

#endif
