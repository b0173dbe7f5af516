// SPDX-License-Identifier: MIT
/* The sum of exp(x_j) over a row as sum * 2^exponent, in one pass and without a maximum of x: each
 * exp is a pair (m, n) that stands for m 2^n, so that nothing overflows, and x itself is reduced,
 * so that no difference x - max is rounded. Source: Dukhan and Ablavatski, arXiv 2001.04438; by
 * blocks, so that the running sum is rescaled once per four vectors.
 * The reduction is valid for |x| <= 2048. Smaller x count as -2048. A row whose largest exponent is
 * outside [PAIRS_LOW, PAIRS_HIGH], or that has a NaN, is not `valid` and needs a shifted sum. */
#ifndef PAIRS_H
#define PAIRS_H

#include "exp.h"
#include "ops.h"
#include "row.h"

enum { PAIRS_FLOOR = -2048, PAIRS_LOW = -2700, PAIRS_HIGH = 2900 };

/* Instructions per vector (struct vector_ops in include/kernel.h): a clamp, the parts of exp, the
 * largest exponent; the difference from it, clamped, a scaling, the sum; and once per K vectors the
 * last three for the sum before them. */
#define PAIRS_SHARE (1 + 1.0 / K)
#define PAIRS_MAD EXP_MAD
#define PAIRS_MUL (EXP_PARTS_MUL + SCALE_DOWN_MUL * PAIRS_SHARE)
#define PAIRS_ADD (EXP_ADD + 1 + PAIRS_SHARE)
#define PAIRS_MAX (2 + PAIRS_SHARE)
#define PAIRS_OTHER (EXP_PARTS_OTHER + SCALE_DOWN_OTHER * PAIRS_SHARE)

struct pairs {
    vf sum, exponent;
};

static inline struct pairs pairs_empty(void)
{
    return (struct pairs){v_set1(0.0f), v_set1(2 * PAIRS_FLOOR)};
}

/* Returns a 2^d for d <= 0. Terms below 2^-190 of the sum do not change it. */
static inline vf pairs_align(vf a, vf d) { return v_scale_down(a, v_max(v_set1(-190.0f), d)); }

static inline void pairs_merge(struct pairs *p, struct pairs b)
{
    vf top = v_max(p->exponent, b.exponent);
    p->sum = v_add(pairs_align(p->sum, v_sub(p->exponent, top)),
                   pairs_align(b.sum, v_sub(b.exponent, top)));
    p->exponent = top;
}

static inline void pairs_add(struct pairs *p, const vf x[K])
{
    vf m[K], n[K];
    for (size_t k = 0; k < K; k++) m[k] = v_exp_parts(v_max(v_set1(PAIRS_FLOOR), x[k]), &n[k]);
    vf top = v_max(p->exponent, v_max(v_max(n[0], n[1]), v_max(n[2], n[3])));
    for (size_t k = 0; k < K; k++) m[k] = pairs_align(m[k], v_sub(n[k], top));
    p->sum = v_add(pairs_align(p->sum, v_sub(p->exponent, top)), tree4(m));
    p->exponent = top;
}

struct pairs_row {
    float sum, exponent;
    int valid;
};

/* Returns the sum of a row; as in row_sum() of row.h, a chain is cut every BLOCK additions. */
static inline struct pairs_row pairs_row(const element *x, size_t n)
{
    enum { STEP = K * VL };
    struct pairs all = pairs_empty();
    vf v[K];
    size_t i = 0;
    while (n - i >= STEP) {
        struct pairs p = pairs_empty();
        for (size_t end = row_block_end(i, n, STEP); i < end; i += STEP) {
            for (size_t k = 0; k < K; k++) v[k] = x_load(x + i + k * VL);
            pairs_add(&p, v);
        }
        pairs_merge(&all, p);
    }
    if (i < n) {
        for (size_t k = 0; k < K; k++, i += VL)
            v[k] = i < n ? x_load_upto(x + i, n - i, -INFINITY) : v_set1(-INFINITY);
        pairs_add(&all, v);
    }
    float top = v_hmax(all.exponent);
    float sum = v_sum(pairs_align(all.sum, v_sub(all.exponent, v_set1(top))));
    /* The sum is tested as well, because v_max may lose an infinite exponent next to a NaN. */
    return (struct pairs_row){sum, top, top >= PAIRS_LOW && top <= PAIRS_HIGH && sum == sum};
}

#endif
