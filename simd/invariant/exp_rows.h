// SPDX-License-Identifier: MIT
/* Sums of exponentials of a batch: up to VL short rows, side by side. Each row's sum has the
 * operations and the order of exp_sum.h. What a row has once (exponent, total, and the total's
 * logarithm or reciprocal) is computed for all rows at once, one row per lane. While one short row
 * waits for its own results, its neighbours compute. */
#ifndef EXP_ROWS_H
#define EXP_ROWS_H

#include "exp_row.h"

/* The exponents of a batch's rows, one per lane. Those of a job's first batch also serve the later
 * ones as long as totals are plausible; from then on each batch is sampled. */
enum exponent_scope { NO_EXPONENTS, EXPONENTS_OF_JOB, EXPONENTS_OF_BATCH };
struct batch_exponents {
    enum exponent_scope scope;
    vf N;
    float magic[VL], lowest[VL];
};
/* Returns no exponents. The fields are set one by one: gcc would compile an initializer to rep
 * stos. */
static inline struct batch_exponents no_exponents(void)
{
    struct batch_exponents e;
    e.scope = NO_EXPONENTS;
    e.N = i_set1(0.0f);
    v_store(e.magic, e.N);
    v_store(e.lowest, e.N);
    return e;
}

struct exp_batch {
    const float *x; /* [count, n], `stride` floats between rows */
    size_t stride, n,
        count;   /* count: 1 .. VL; the lanes from count on hold the first row's values */
    int regular; /* every row takes the fast path; otherwise rows are computed one by one */
    vf N;
    vi range_bits;
    struct wide totals[VL];
};

/* ---- Kinds of batches ------------------------------------------------------------------------ */

/* Row lengths for which batches have a loop of their own. Code that short rows never execute would
 * take registers from them, and a constant length lets the compiler drop the tests for it. */
enum row_length { SHORTER, TWO_REGISTERS, ONE_OCTET, LONGER, ROW_LENGTHS };
static inline enum row_length row_length_of(size_t n)
{
    if (STREAMS && n == 2 * LANES) return TWO_REGISTERS;
    if (STREAMS && n == OCTET) return ONE_OCTET;
    return n < OCTET ? SHORTER : LONGER;
}
/* Returns the row length: a constant where `length` is one. */
ALWAYS_INLINE size_t elements_of(enum row_length length, const struct job *j)
{
    return length == TWO_REGISTERS ? 2 * LANES : length == ONE_OCTET ? OCTET : j->n;
}

/* Computes a job's batches, and returns the first row that is left. A kernel has a table of these
 * functions, [row length][rows are in memory, not in caches], each compiled with both as constants,
 * so that no loop tests them. */
typedef size_t do_batches(const struct job *j, enum masking *masking);
static inline int is_built(enum row_length length, int in_memory)
{
    return STREAMS || (!in_memory && (length == SHORTER || length == LONGER));
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* Returns whether the magnitude of any lane is at least `least`; NaN and infinities count as
 * such. */
static inline int any_at_least(vf a, float least)
{
    return m_any(vi_lt(vi_set1((int32_t)f_bits(least) - 1), vi_and(v_bits(a), vi_set1(MAGNITUDE))));
}

/* Returns the samples, after replacing those of rows that seem to start with a mask by the rows'
 * maxima. */
NOINLINE vf replace_far_samples(const struct exp_batch *b, vf samples)
{
    float greatest[VL];
    v_store(greatest, samples);
    for (size_t r = 0; r < b->count; r++)
        if (is_far(greatest[r])) greatest[r] = row_max(b->x + r * b->stride, b->n);
    for (size_t r = b->count; r < VL; r++) greatest[r] = greatest[0];
    return v_load(greatest);
}
/* Sets e from the rows' samples. Returns false if a sample is nearly large. */
ALWAYS_INLINE int sample_batch(const struct exp_batch *b, struct batch_exponents *e)
{
    vf m[VL][PARTS];
    const float *x = b->x;
    int ordinary = 1;
    for (size_t r = 0; r < VL; r++) {
        load_sample(m[r], x, b->n);
        if (r + 1 < b->count) x += b->stride;
    }
    vf max = rows_fold(m, i_max);
    if (any_at_least(max, FAR)) {
        max = replace_far_samples(b, max);
        ordinary = !any_at_least(max, NEARLY_LARGE);
    }
    e->N = exponents_of(max);
    v_store(e->magic, magic_of(e->N));
    v_store(e->lowest, i_fma(e->N, i_set1(LN2), i_set1(LOWEST)));
    return ordinary;
}
/* Prepares a batch whose rows are set for its sums. */
ALWAYS_INLINE void open_exp_batch(struct exp_batch *b, struct batch_exponents *e)
{
    b->regular = 1;
    if (e->scope != EXPONENTS_OF_JOB) {
        b->regular = sample_batch(b, e);
        if (e->scope == NO_EXPONENTS && b->regular) e->scope = EXPONENTS_OF_JOB;
    }
    b->N = e->N;
    b->range_bits = vi_set1(0);
}

/* Returns whether an element was out of range before clamping was on. Clamping is then on from
 * here, and the caller opens the batch again. */
ALWAYS_INLINE int starts_clamping(const struct exp_batch *b, struct exp_scale *s, float *clamped,
                                  enum masking *masking)
{
    if (s->clamped || !out_of_range(b->range_bits)) return 0;
    s->clamped = clamped;
    *masking = MASKED;
    return 1;
}

/* Returns the rows' totals, after every row was added. */
ALWAYS_INLINE vd close_exp_batch(struct exp_batch *b)
{
    for (size_t r = b->count; r < VL; r++) b->totals[r] = b->totals[0];
    vd total = rows_wide_sum(b->totals);
    vf rounded = vd_to(total);
    vi least = vi_set1((int32_t)f_bits(LEAST_TOTAL));
    if (out_of_range(b->range_bits) || any_at_least(rounded, GREATEST_TOTAL) ||
        m_any(vi_lt(v_bits(rounded), least)))
        b->regular = 0;
    return total;
}

/* ---- One row of a batch ---------------------------------------------------------------------- */

/* begin_row() and end_row() enclose the exponentials of row r, at x; s is exp_scale() of any N. */
ALWAYS_INLINE void begin_row(const struct exp_batch *b, const struct batch_exponents *e, size_t r,
                             const float *x, int prefetch, struct exp_scale *s)
{
    s->magic = v_set1(e->magic[r]);
    s->lowest = v_set1(e->lowest[r]);
    if (prefetch) { /* the next batch's sample, which lies beyond what this row prefetches */
        __builtin_prefetch(beyond(x, VL * b->stride * sizeof *x));
        __builtin_prefetch(beyond(x, (VL * b->stride + LANES - 1) * sizeof *x));
    }
}
ALWAYS_INLINE void end_row(struct exp_batch *b, size_t r, const struct exp_sum *sum, size_t n,
                           enum row_length length, vi range_bits)
{
    b->range_bits = vi_or(b->range_bits, range_bits);
    b->totals[r] = length == LONGER ? groups_of(sum, n) : wide_of(sum->group);
}

/* Adds row r. Numerators go to y if `kind` is STORED; callers pass n and length as constants where
 * they know them. */
ALWAYS_INLINE void add_row(struct exp_batch *b, const struct batch_exponents *e, size_t r,
                           const float *x, float *y, enum summand kind, int prefetch, size_t n,
                           enum row_length length, struct exp_scale *s)
{
    struct exp_sum sum = {0};
    vi range_bits = vi_set1(0);
    begin_row(b, e, r, x, prefetch, s);
    if (length >= ONE_OCTET) {
        add_elements(&sum, x, y, kind, prefetch, 0, n, s, &range_bits);
    } else {
        if (prefetch) prefetch_ahead(x, n);
        add_rest(&sum, x, y, kind, n, 1, s, &range_bits);
    }
    end_row(b, r, &sum, n, length, range_bits);
}

#endif
