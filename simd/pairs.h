/* The sum of exp(x_j) over a row as sum * 2^exponent, in one pass and without a maximum of x: each
 * exp is a pair (m, n), m 2^n, so that nothing overflows and x itself is reduced, with no rounding
 * of x - max. Source: Dukhan and Ablavatski, arXiv 2001.04438; by blocks, so that the running sum
 * is rescaled once for four vectors.
 * The reduction is good to |x| <= 2048. Below, x counts as -2048; a row whose largest exponent is
 * out of [PAIRS_LOW, PAIRS_HIGH] (or not a number) is not `valid` and wants a shifted sum. */
#ifndef PAIRS_H
#define PAIRS_H

#include "exp.h"
#include "row.h"

enum { PAIRS_FLOOR = -2048, PAIRS_LOW = -2700, PAIRS_HIGH = 2900 };

struct pairs { vf sum, exponent; };

/* a 2^d for d <= 0: what is below 2^-252 is nothing in a sum. */
static inline vf v_scale_down(vf a, vf d) { return v_scale(a, v_max(v_set1(-252.0f), d)); }

static inline void pairs_add(struct pairs *p, const vf x[K])
{
    vf m[K], n[K];
    for (size_t k = 0; k < K; k++) m[k] = v_exp_parts(v_max(v_set1(PAIRS_FLOOR), x[k]), &n[k]);
    vf top = v_max(p->exponent, v_max(v_max(n[0], n[1]), v_max(n[2], n[3])));
    for (size_t k = 0; k < K; k++) m[k] = v_scale_down(m[k], v_sub(n[k], top));
    p->sum = v_add(v_scale_down(p->sum, v_sub(p->exponent, top)), tree4(m));
    p->exponent = top;
}

struct pairs_row { float sum, exponent; int valid; };

static inline struct pairs_row pairs_row(const float *x, size_t n)
{
    struct pairs p = {v_set1(0.0f), v_set1(2 * PAIRS_FLOOR)};
    vf v[K];
    size_t i = 0;
    for (; i + K * VL <= n; i += K * VL) {
        for (size_t k = 0; k < K; k++) v[k] = v_load(x + i + k * VL);
        pairs_add(&p, v);
    }
    if (i < n) {
        for (size_t k = 0; k < K; k++, i += VL)
            v[k] = i < n ? v_load_upto(x + i, n - i, -INFINITY) : v_set1(-INFINITY);
        pairs_add(&p, v);
    }
    float top = v_hmax(p.exponent);
    return (struct pairs_row){v_sum(v_scale_down(p.sum, v_sub(p.exponent, v_set1(top)))), top,
                              top >= PAIRS_LOW && top <= PAIRS_HIGH};
}

#endif
