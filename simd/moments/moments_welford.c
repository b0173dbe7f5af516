// SPDX-License-Identifier: MIT
/* d = x - mean;  mean += d / j;  m2 += d (x - mean);  variance = m2 / n, in one pass.
 * K VL independent recurrences (one is latency bound: three dependent operations per element),
 * merged at the end by Chan's formula; 1/j is rounded once and shared by them all.
 * Bound: BOUND_VARIANCE_WELFORD (docs/method.md). Nothing can overflow before m2 does.
 * 6 flops, 4 bytes per element. Source: Welford 1962; Chan, Golub, LeVeque 1979 for the merge. */
// build: stored=bf16,f16,f64
#include "chan.h"

enum { K = 4 };

static inline struct lanes step(struct lanes s, vf x, vf reciprocal)
{
    vf d = v_sub(x, s.mean);
    s.mean = v_mad(d, reciprocal, s.mean);
    s.m2 = v_mad(d, v_sub(x, s.mean), s.m2);
    return s;
}

static struct moments welford(const element *x, size_t n)
{
    struct lanes none = {v_set1(0.0f), v_set1(0.0f)}, s[K] = {none, none, none, none}, rest = none;
    size_t i = 0, count = 0, rest_count = 0;
    for (; i + K * VL <= n; i += K * VL) {
        vf reciprocal = v_set1(1.0f / to_float(++count));
        for (size_t k = 0; k < K; k++) s[k] = step(s[k], x_load(x + i + k * VL), reciprocal);
    }
    for (; i + VL <= n; i += VL)
        rest = step(rest, x_load(x + i), v_set1(1.0f / to_float(++rest_count)));
    /* A lane of the last, partial vector holds one element, which is its mean; its m2 is 0. */
    struct lanes last = {x_load_part(x + i, n - i, 0.0f), v_set1(0.0f)};

    struct lanes low = lanes_merge(s[0], s[1], count), high = lanes_merge(s[2], s[3], count);
    struct part all = part_of_lanes(lanes_merge(low, high, 2 * count), VL, K * count);
    all = part_merge(all, part_of_lanes(rest, VL, rest_count));
    return moments_of(part_merge(all, part_of_lanes(last, n - i, 1)));
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) store_moments(j, r, welford(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "welford",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 6,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = K,
    .bound = BOUND_VARIANCE_WELFORD,
    .promise = {.specials = true, .bound = true},
    .run = run,
    /* 1/j is converted, divided and broadcast once per K vectors. */
    .ops = {.mad = 2, .add = 2, .other = 3.0 / K},
};
