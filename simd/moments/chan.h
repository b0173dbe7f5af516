// SPDX-License-Identifier: MIT
/* Parts of a row and how they merge (Chan, Golub, LeVeque 1979):
 *
 *   mean = mean_a + d n_b / n;  m2 = m2_a + m2_b + d^2 n_a n_b / n;  d = mean_b - mean_a. */
#ifndef CHAN_H
#define CHAN_H

#include "moments.h"

struct part {
    size_t count;
    float mean, m2; /* m2: sum of squared deviations from the mean; an empty part is all zero */
};
struct lanes {
    vf mean, m2; /* VL parts of equal count */
};

/* Merges parts of equal counts, lane by lane. */
static inline struct lanes lanes_merge(struct lanes a, struct lanes b, size_t count)
{
    vf d = v_sub(b.mean, a.mean), n_half = v_set1(0.5f * to_float(count));
    return (struct lanes){v_mad(d, v_set1(0.5f), a.mean),
                          v_mad(v_mul(d, n_half), d, v_add(a.m2, b.m2))};
}

static inline struct part part_merge(struct part a, struct part b)
{
    size_t n = a.count + b.count;
    float w = n ? to_float(b.count) / to_float(n) : 0.0f, d = b.mean - a.mean;
    /* (d w n_a) d, not d^2 (w n_a): d^2 may overflow, and infinity times n_a = 0 would be NaN. */
    return (struct part){n, d * w + a.mean, d * w * to_float(a.count) * d + (a.m2 + b.m2)};
}

/* Returns the first `used` lanes, of `count` elements each, as one part, by Chan's formula for any
 * number of equal parts: m2 = sum(m2_l) + count sum((mean_l - mean)^2). The other lanes must be
 * zero. */
static inline struct part part_of_lanes(struct lanes a, size_t used, size_t count)
{
    static const float ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    float mean = v_sum(a.mean) / to_float(used ? used : 1);
    vf d = v_mul(v_sub(a.mean, v_set1(mean)), v_load_part(ones, used, 0.0f));
    vf dn = v_mul(d, v_set1(to_float(count)));
    return (struct part){used * count, mean, v_sum(v_mad(dn, d, a.m2))};
}

static inline struct moments moments_of(struct part p)
{
    return (struct moments){p.count ? p.mean : __builtin_nanf(""), p.m2 / to_float(p.count)};
}

#endif
