// SPDX-License-Identifier: MIT
/* The parts that the logsumexps share: y = max + log(sum_j exp(x_j - max)). The including file has
 * defined score, shifted, exp_of and log_of, as for softmax.h. */
#ifndef LOGSUMEXP_H
#define LOGSUMEXP_H

#include "row.h"

/* Returns max + log(sum). Without a finite maximum the sum means nothing: the result is NaN if the
 * row has a NaN, otherwise the maximum, -inf or +inf. */
static inline float logsumexp_finish(const float *x, size_t n, float max, float sum)
{
    if (!(fabsf(max) < INFINITY)) return row_has_nan(x, n) ? NAN : max;
    return max + v_scalar(log_of, sum);
}

static inline vf numerator(vf x, const struct row_context *c) { return exp_of(shifted(x, c)); }

static inline void logsumexp_shifted_row(const struct job *j, const float *x, float *y)
{
    struct row_context c = {0};
    float max = row_max(x, j->n, score, &c);
    c.max = v_set1(max);
    *y = logsumexp_finish(x, j->n, max, row_sum(x, NULL, j->n, numerator, &c));
}

#endif
