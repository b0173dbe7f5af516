// SPDX-License-Identifier: MIT
/* logsumexp in a 16-bit format, every operation rounded to it (fp16.h or bf16.h, included before).
 * A sequential sum of equal terms in such a format stops growing where a term is half an ulp of the
 * sum: after 2^11 terms in fp16, 2^8 in bf16. In a pairwise sum both operands of an addition are
 * equal, and 2^k equal terms sum exactly. So sums here are pairwise, except in
 * logsumexp_*sequential.c, which shows the failure. */
#ifndef ROUNDED_LOGSUMEXP_H
#define ROUNDED_LOGSUMEXP_H

#include <math.h>

#include "kernel.h"

typedef vr term_function(vr x, vr max);

ALWAYS_INLINE void each_row(const struct job *j,
                            void (*f)(const struct job *j, const element *x, element *y))
{
    for (size_t r = 0; r < j->rows; r++)
        f(j, (const element *)j->x + r * j->x_stride, (element *)j->y + r * j->y_stride);
}

/* Loads a vector; lanes after the row's end are -inf, which changes no maximum and whose exp adds
 * 0. */
static inline vr load_upto(const element *x, size_t left)
{
    return left >= RL ? r_load(x) : r_load_part(x, left, -INFINITY);
}

/* Returns the pairwise sum of term(x[i], max): vectors are added as the bits of a binary counter
 * carry, the lanes at the end. */
ALWAYS_INLINE vr pairwise_sum(const element *x, size_t n, term_function *term, vr max)
{
    vr level[64];
    size_t depth = 0, count = 0;
    for (size_t i = 0; i < n; i += RL, count++) {
        vr sum = term(load_upto(x + i, n - i), max);
        for (size_t carry = count; carry & 1; carry >>= 1) sum = r_add(level[--depth], sum);
        level[depth++] = sum;
    }
    vr sum = depth ? level[--depth] : r_set1(0.0f);
    while (depth) sum = r_add(level[--depth], sum);
    return r_sum(sum);
}

/* Returns the maximum; -inf for an empty row. A NaN may be lost here. */
static inline vr row_max(const element *x, size_t n)
{
    vr max = r_set1(-INFINITY);
    for (size_t i = 0; i < n; i += RL) max = r_max(max, load_upto(x + i, n - i));
    return r_hmax(max);
}

static inline bool row_has_nan(const element *x, size_t n)
{
    int found = 0;
    for (size_t i = 0; i < n; i += RL) found |= r_any_nan(load_upto(x + i, n - i));
    return found;
}

/* Returns max + log(sum). Without a finite maximum the sum means nothing: the result is NaN if the
 * row has a NaN, otherwise the maximum, -inf or +inf. */
static inline vr finish(const element *x, size_t n, vr max, vr sum)
{
    if (!(fabsf(r_value(max)) < INFINITY)) return row_has_nan(x, n) ? r_set1(NAN) : max;
    return r_add(max, r_log(sum));
}

static inline vr exp_term(vr x, vr max)
{
    (void)max;
    return r_exp(x);
}
static inline vr shifted_term(vr x, vr max) { return r_exp(r_sub(x, max)); }

static inline void naive_row(const struct job *j, const element *x, element *y)
{
    r_store_part(y, r_log(pairwise_sum(x, j->n, exp_term, r_set1(0.0f))), 1);
}
static inline void shifted_row(const struct job *j, const element *x, element *y)
{
    vr max = row_max(x, j->n);
    r_store_part(y, finish(x, j->n, max, pairwise_sum(x, j->n, shifted_term, max)), 1);
}

/* Returns the sum in the order of the row, one term after the other. */
static inline vr sequential_sum(const element *terms, size_t n)
{
    vr sum = r_set1(0.0f);
    for (size_t i = 0; i < n; i++) sum = r_add(sum, r_all(terms + i));
    return sum;
}
static inline void sequential_row(const struct job *j, const element *x, element *y)
{
    element *terms = (element *)(void *)j->scratch;
    vr max = row_max(x, j->n);
    for (size_t i = 0; i < j->n; i += RL)
        r_store(terms + i, shifted_term(load_upto(x + i, j->n - i), max));
    r_store_part(y, finish(x, j->n, max, sequential_sum(terms, j->n)), 1);
}

#endif
