/* Logarithms of sums of exponentials, up to VL rows together (invariant_exp.h): what logsumexp returns, and what
 * log_softmax subtracts. A group takes its logarithms when the next one has its sums: neither waits. */
#ifndef INVARIANT_LOG_H
#define INVARIANT_LOG_H

#include "invariant_exp.h"

/* Up to VL rows from `first`; when the logarithms are taken, each in two floats. */
struct log_group {
    struct exp_rows rows;
    size_t first;
    float high[VL], low[VL];
};
/* What becomes of a group's logarithms; where rows are not g->rows.together, of the rows themselves. */
typedef void log_take(const struct log_group *g, const struct job *j, int *masked);

ALWAYS_INLINE void log_group_add(struct log_group *g, const struct job *j, size_t first, enum summed what, int ahead,
                                 enum length length, size_t n, struct exponents *e, struct exp_scale *s)
{
    float none[OCTET]; /* nothing is stored there */
    g->first = first;
    g->rows.x = (const float *)row_in(j, first);
    g->rows.stride = j->x_stride;
    g->rows.n = n;
    g->rows.count = rows_from(j, first);
    exp_rows_open(&g->rows, e);
    const float *x = g->rows.x;
    for (size_t k = 0; k < g->rows.count; k++, x += j->x_stride)
        exp_rows_add(&g->rows, e, k, x, none, what, ahead, n, length, s);
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

static void log_group_finish(struct log_group *g, const struct job *j, enum summed what, struct exponents *e,
                             log_take *take, int *masked)
{
    vd total = exp_rows_close(&g->rows);
    vd y = vd_sub(rows_ln(total, i_sub(g->rows.N, i_set1(BIAS))), vd_set1(LN_KAPPA));
    vf high = in_floats(g->high, g->low, what, what == TERMS ? vd_mul(y, vd_set1(STRETCH)) : y);
    if (!g->rows.together) e->are = APART;
    else if (any_near_zero(high)) log_group_near(g, what, total);
    take(g, j, masked);
}

/* Returns the first row that is left. `fits`: what a group asks. */
ALWAYS_INLINE size_t log_groups(const struct job *j, int *masked, enum summed what, enum question fits, log_take *take,
                                int ahead, enum length length, size_t n)
{
    struct log_group groups[2], *before = NULL;
    _Alignas(64) float copy[OCTET];
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct exponents exponents = exponents_unknown();
    size_t first = 0;
    while (first < j->rows && together(j, first, PAIR, fits)) {
        struct log_group *g = before == groups ? groups + 1 : groups;
        log_group_add(g, j, first, what, ahead, length, n, &exponents, &s);
        if (!s.copy && out_of_range(g->rows.seen)) { /* once more */
            s.copy = copy;
            *masked = 1;
            continue;
        }
        if (before) log_group_finish(before, j, what, &exponents, take, masked);
        first += g->rows.count;
        before = g;
    }
    if (before) log_group_finish(before, j, what, &exponents, take, masked);
    return first;
}

#endif
