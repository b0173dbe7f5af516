// SPDX-License-Identifier: MIT
/* The maximum of a row and the sum of exp(x - max) in one pass: each lane keeps a running maximum m
 * and a sum s relative to it. A block raises m at most once: s <- s exp(m_old - m) + its terms. m
 * starts at the lowest finite number, so that -inf - m is -inf and never NaN: a row of only -inf
 * ends with s = 0. Source: Milakov and Gimelshein, arXiv 1805.02867; by blocks, as in
 * FlashAttention. The including file has defined exp_of for arguments <= 0. */
#ifndef ONLINE_H
#define ONLINE_H

#include <float.h>

#include "ops.h"
#include "row.h"

enum { WIDE = 8 }; /* vectors in a block */

/* Instructions per vector (struct vector_ops in include/kernel.h): maximum, difference, exp, sum;
 * and per block one more exp, which scales the sum before it. */
#define ONLINE_SHARE (1 + 1.0 / WIDE)
#define ONLINE_MAD (EXP_MAD * ONLINE_SHARE + 1.0 / WIDE)
#define ONLINE_MUL (EXP_NONPOSITIVE_MUL * ONLINE_SHARE)
#define ONLINE_ADD ((EXP_ADD + 1) * ONLINE_SHARE + (WIDE - 1.0) / WIDE)
#define ONLINE_MAX (1 + ONLINE_SHARE)
#define ONLINE_OTHER (EXP_NONPOSITIVE_OTHER * ONLINE_SHARE)

struct online {
    vf max, sum;
};

static inline struct online online_empty(void)
{
    return (struct online){v_set1(-FLT_MAX), v_set1(0.0f)};
}

static inline vf tree_max8(const vf v[WIDE])
{
    return v_max(v_max(v_max(v[0], v[1]), v_max(v[2], v[3])),
                 v_max(v_max(v[4], v[5]), v_max(v[6], v[7])));
}

static inline void online_add(struct online *o, const vf x[WIDE])
{
    vf max = v_max(o->max, tree_max8(x)), e[WIDE];
    for (size_t k = 0; k < WIDE; k++) e[k] = exp_of(v_sub(x[k], max));
    vf block = v_add(tree4(e), tree4(e + 4));
    o->sum = v_mad(o->sum, exp_of(v_sub(o->max, max)), block);
    o->max = max;
}

static inline void online_merge(struct online *o, struct online b)
{
    vf max = v_max(o->max, b.max);
    o->sum = v_mad(o->sum, exp_of(v_sub(o->max, max)), v_mul(b.sum, exp_of(v_sub(b.max, max))));
    o->max = max;
}

struct online_row {
    float max, sum;
};

/* Returns the maximum and the sum of a row; as in row_sum() of row.h, a chain is cut every BLOCK
 * additions. */
static inline struct online_row online_row(const element *x, size_t n)
{
    enum { STEP = WIDE * VL };
    struct online all = online_empty();
    vf v[WIDE];
    size_t i = 0;
    while (n - i >= STEP) {
        struct online o = online_empty();
        for (size_t end = row_block_end(i, n, STEP); i < end; i += STEP) {
            for (size_t k = 0; k < WIDE; k++) v[k] = x_load(x + i + k * VL);
            online_add(&o, v);
        }
        online_merge(&all, o);
    }
    if (i < n) {
        for (size_t k = 0; k < WIDE; k++, i += VL)
            v[k] = i < n ? x_load_upto(x + i, n - i, -INFINITY) : v_set1(-INFINITY);
        online_add(&all, v);
    }
    float max = v_hmax(all.max);
    return (struct online_row){max, v_sum(v_mul(all.sum, exp_of(v_sub(all.max, v_set1(max)))))};
}

#endif
