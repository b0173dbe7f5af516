// SPDX-License-Identifier: MIT
/* The parts that the shifted softmaxes share: y_i = exp(s_i - max s) / sum_j exp(s_j - max s), and
 * log_softmax: (s_i - max s) - log(sum). The including file has defined
 *
 *   score(x, c)    s: x or scale * x, of which the maximum is taken
 *   shifted(x, c)  s - max
 *   exp_of, log_of
 *
 * A NaN or a +inf in a row makes its sum NaN, and so does a row of only -inf (-inf - -inf): every
 * output becomes NaN without a test. */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include "row.h"

static inline vf numerator(vf x, const struct row_context *c) { return exp_of(shifted(x, c)); }
static inline vf normalised(vf e, const struct row_context *c) { return v_mul(e, c->norm); }
static inline vf probability(vf x, const struct row_context *c)
{
    return v_mul(numerator(x, c), c->norm);
}
static inline vf log_probability(vf x, const struct row_context *c)
{
    return v_sub(shifted(x, c), c->norm);
}

static inline struct row_context softmax_shift(const struct job *j, const element *x)
{
    struct row_context c = {.scale = v_set1(j->scale)};
    c.max = v_set1(row_max(x, j->n, score, &c));
    return c;
}

/* Computes the last pass, from x, c->max and the sum. */
static inline void softmax_finish(const struct job *j, const element *x, element *y,
                                  struct row_context *c, float sum)
{
    if (j->log_output) {
        c->norm = v_set1(v_scalar(log_of, sum));
        row_map(x, y, j->n, log_probability, c);
    } else {
        c->norm = v_set1(1.0f / sum);
        row_map(x, y, j->n, probability, c);
    }
}

/* Computes a row in the passes maximum; sum of exp; exp again. */
static inline void softmax_recompute_row(const struct job *j, const element *x, element *y)
{
    struct row_context c = softmax_shift(j, x);
    softmax_finish(j, x, y, &c, row_sum(x, NULL, j->n, numerator, &c));
}

/* Computes a row in the passes maximum; exp, stored, and its sum; y / sum. log_softmax stores no
 * numerators. Numerators are kept in y if y stores floats, otherwise in scratch, because y would
 * round them. */
static inline void softmax_threepass_row(const struct job *j, const element *x, element *y)
{
    if (j->log_output) {
        softmax_recompute_row(j, x, y);
        return;
    }
    struct row_context c = softmax_shift(j, x);
    float *numerators = STORED_FLOATS ? (float *)y : (float *)j->scratch;
    c.norm = v_set1(1.0f / row_sum(x, numerators, j->n, numerator, &c));
    row_map_from((struct source){.floats = numerators}, y, j->n, normalised, &c);
}

#endif
