// SPDX-License-Identifier: MIT
/* Chan's pairwise algorithm: the moments of 8 vectors at a time, lane by lane, in two passes over
 * registers; then a binary tree of merges; then the lanes.
 * Bound: BOUND_VARIANCE_PAIRWISE (docs/method.md).
 * 4 flops per element, and 1/8 of 7 + 1 for the tree: 5; 4 bytes per element.
 * Source: Chan, Golub, LeVeque 1979, 1983. */
// build: stored=bf16,f16,f64
#include "chan.h"
#include "sums.h"

enum { LEAF = 8, LEVELS = 64 };

static inline struct lanes leaf(const element *x)
{
    vf v[LEAF], s[LEAF / 2];
#pragma GCC unroll 8
    for (size_t k = 0; k < LEAF; k++) v[k] = x_load(x + k * VL);
#pragma GCC unroll 8
    for (size_t k = 0; k < LEAF / 2; k++) s[k] = v_add(v[k], v[k + 4]);
    vf sum = v_add(v_add(s[0], s[1]), v_add(s[2], s[3])), mean = v_mul(sum, v_set1(1.0f / LEAF));
#pragma GCC unroll 8
    for (size_t k = 0; k < LEAF; k++) v[k] = v_sub(v[k], mean);
#pragma GCC unroll 8
    for (size_t k = 0; k < LEAF / 2; k++) s[k] = v_mad(v[k], v[k], v_mul(v[k + 4], v[k + 4]));
    return (struct lanes){mean, v_add(v_add(s[0], s[1]), v_add(s[2], s[3]))};
}

/* level[k] holds the moments of 2^k leaves if bit k of the number of leaves is set. */
static struct moments pairwise(const element *x, size_t n)
{
    struct lanes level[LEVELS];
    size_t leaves = n / (LEAF * VL);
    for (size_t i = 0; i < leaves; i++) {
        struct lanes node = leaf(x + i * LEAF * VL);
        size_t k = 0;
        for (; i >> k & 1; k++) node = lanes_merge(level[k], node, (size_t)LEAF << k);
        level[k] = node;
    }
    /* The elements after the last whole leaf; then the remaining nodes, the smaller first. */
    size_t done = leaves * LEAF * VL, rest = n - done;
    float mean = row_sums(x + done, rest, 0.0f).d / to_float(rest ? rest : 1);
    struct part all = {rest, mean, row_sums(x + done, rest, mean).dd};
    for (size_t k = 0; leaves >> k; k++)
        if (leaves >> k & 1) all = part_merge(part_of_lanes(level[k], VL, (size_t)LEAF << k), all);
    return moments_of(all);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) store_moments(j, r, pairwise(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "pairwise",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 5,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = LEAF,
    .bound = BOUND_VARIANCE_PAIRWISE,
    .promise = {.specials = true, .bound = true},
    .run = run,
    /* Per leaf: sum, mean, differences, squares and their sum; and a merge, whose weight is
     * converted, halved and broadcast. */
    .ops = {.mad = (4 + 2) / (double)LEAF,
            .mul = (1 + 4 + 1) / (double)LEAF,
            .add = (7 + 8 + 3 + 2) / (double)LEAF,
            .other = 3 / (double)LEAF},
};
