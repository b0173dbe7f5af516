/* Logarithms of sums of exponentials, up to VL rows together (invariant_exp.h): what logsumexp returns, and what
 * log_softmax subtracts. */
#ifndef INVARIANT_LOG_H
#define INVARIANT_LOG_H

#include "invariant_exp.h"

/* Up to VL rows from `first`, and once closed their logarithms, each in two floats, where rows.together. */
struct log_group {
    struct exp_rows rows;
    size_t first;
    float high[VL], low[VL];
};
/* Before and after their exponentials, exp_rows_add() of each row. */
ALWAYS_INLINE void log_group_open(struct log_group *g, const struct job *j, size_t first, size_t n,
                                  struct exponents *e)
{
    g->first = first;
    g->rows.x = (const float *)row_in(j, first);
    g->rows.stride = j->x_stride;
    g->rows.n = n;
    g->rows.count = rows_from(j, first);
    exp_rows_open(&g->rows, e);
}

ALWAYS_INLINE vf in_floats(float high[VL], float low[VL], enum summed what, vd y)
{
    vf h = vd_to(y);
    v_store(high, h);
    if (what != TERMS) v_store(low, vd_to(vd_sub(y, vd_of(h)))); /* a logsumexp is one */
    return h;
}

/* Those that are near zero, by way of their maxima: exp_total_log() says why. Of rows of seven on N(0, 1) a fifth
 * are; all are whose exponentials are a distribution (logsumexp 128x32: .3 of the time it takes to go through each
 * row again, 8x512 .4; AVX2, Zen 3). */
static __attribute__((noinline)) void log_group_near(struct log_group *g, enum summed what, vd total)
{
    float most[VL], high[VL], low[VL] = {0};
    const float *x = g->rows.x;
    for (size_t k = 0; k < VL; k++, x += g->rows.stride)
        most[k] = k < g->rows.count && near_zero(g->high[k]) ? row_max(x, g->rows.n) : 0.0f;
    vf m = v_load(most), power = exp_of_maxima(m, g->rows.N, what, g->rows.n);
    vd y = vd_add(vd_of(m), rows_ln(vd_div(total, vd_of(power)), i_set1(0.0f)));
    in_floats(high, low, what, y);
    for (size_t k = 0; k < g->rows.count; k++)
        if (near_zero(g->high[k])) g->high[k] = high[k], g->low[k] = low[k];
}

ALWAYS_INLINE void log_group_close(struct log_group *g, enum summed what, struct exponents *e)
{
    vd total = exp_rows_close(&g->rows);
    vd y = vd_sub(rows_ln(total, i_sub(g->rows.N, i_set1(BIAS))), vd_set1(LN_KAPPA));
    vf high = in_floats(g->high, g->low, what, what == TERMS ? vd_mul(y, vd_set1(STRETCH)) : y);
    if (!g->rows.together) e->are = APART;
    else if (any_near_zero(high)) log_group_near(g, what, total);
}

#endif
