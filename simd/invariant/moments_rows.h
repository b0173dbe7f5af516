// SPDX-License-Identifier: MIT
/* Moments of rows: a batch of short rows, one long row, a batch of long rows. Each of the three
 * opens its sums, adds to them, turns them into moments, and sums a row again (retry) whose pivot
 * was not near enough. */
#ifndef MOMENTS_ROWS_H
#define MOMENTS_ROWS_H

#include "moments_core.h"

/* ---- A batch of 1 to BATCH_ROWS short rows (SHORT_ROW: one chunk, n >= 1) -------------------- */

struct row_batch {
    const element *x[BATCH_ROWS];
    size_t count;
    partial_sum sum[BATCH_ROWS], squares[BATCH_ROWS];
};

ALWAYS_INLINE void batch_sum_row(struct row_batch *b, size_t k, size_t n, const float *pivot)
{
    vf sum[PARTS], squares[PARTS];
    if (n <= 2 * LANES)
        sum_two_registers(b->x[k], n, pivot, sum, squares);
    else
        sum_chunk(b->x[k], n, pivot, FROM_FIRST_STEP, NULL, NULL, sum, squares);
    if (CENTRED) b->sum[k] = partial_sum_of(sum);
    b->squares[k] = partial_sum_of(squares);
}
static __attribute__((noinline)) void batch_sum_row_about(struct row_batch *b, size_t k, size_t n,
                                                          float pivot)
{
    batch_sum_row(b, k, n, &pivot);
}
/* Fills the lanes that have no row with the first row's values. */
static __attribute__((noinline)) void batch_fill(struct row_batch *b)
{
    for (size_t k = b->count; k < BATCH_ROWS; k++) {
        if (CENTRED) b->sum[k] = b->sum[0];
        b->squares[k] = b->squares[0];
    }
}

/* Sums the rows again that 0 did not settle, with their mean as the pivot. */
static __attribute__((noinline)) struct moments batch_retry(struct row_batch *b, size_t n,
                                                            per_row mean, unsigned settled)
{
    float pivot[BATCH_ROWS];
    per_row_store(pivot, mean);
    for (size_t k = 0; k < b->count; k++) {
        if (settled >> k & 1)
            pivot[k] = 0.0f;
        else
            batch_sum_row_about(b, k, n, pivot[k]);
    }
    for (size_t k = b->count; k < BATCH_ROWS; k++) pivot[k] = pivot[0];
    batch_fill(b);
    struct moments m = moments_from_sums(per_row_load(pivot), per_row_fold(b->sum),
                                         per_row_fold(b->squares), inverse_of(n), nearness_of_mean);
    if (m.settled != ALL_ROWS) settle_in_double(&m, b->x, b->count, n);
    return m;
}

/* Returns the batch's moments, after batch_sum_row() of every row. */
ALWAYS_INLINE struct moments batch_moments(struct row_batch *b, size_t n, double inverse)
{
    if (b->count < BATCH_ROWS) batch_fill(b);
    struct moments m =
        moments_from_sums(per_row_set1(0.0), CENTRED ? per_row_fold(b->sum) : per_row_set1(0.0),
                          per_row_fold(b->squares), inverse, nearness_of_zero);
    return !CENTRED || m.settled == ALL_ROWS ? m : batch_retry(b, n, m.mean, m.settled);
}

/* ---- One long row, chunk by chunk ------------------------------------------------------------ */

struct row_sums {
    float pivot;
    struct wide sum, squares;
};

static __attribute__((noinline)) void sum_chunk_about(const element *x, size_t n, float pivot,
                                                      vf sum[PARTS], vf squares[PARTS])
{
    sum_chunk(x, n, &pivot, FROM_ZEROS, NULL, NULL, sum, squares);
}
ALWAYS_INLINE void sum_row_chunk(const element *x, size_t n, float pivot, vf sum[PARTS],
                                 vf squares[PARTS])
{
    if (f_bits(pivot))
        sum_chunk_about(x, n, pivot, sum, squares);
    else
        sum_chunk(x, n, NULL, FROM_ZEROS, NULL, NULL, sum, squares);
}

static inline struct row_sums row_sums_zero(float pivot)
{
    static const struct wide zero;
    return (struct row_sums){pivot, zero, zero};
}
ALWAYS_INLINE void row_sums_add(struct row_sums *s, const vf sum[PARTS], const vf squares[PARTS])
{
    if (CENTRED) s->sum = wide_add(s->sum, sum);
    s->squares = wide_add(s->squares, squares);
}
ALWAYS_INLINE void row_sums_add_elements(struct row_sums *s, const element *x, size_t n)
{
    vf sum[PARTS], squares[PARTS];
    sum_row_chunk(x, n, s->pivot, sum, squares);
    row_sums_add(s, sum, squares);
}
ALWAYS_INLINE void row_sums_add_row(struct row_sums *s, const element *x, size_t n)
{
    for (size_t at = 0; at < n; at += MOMENT_CHUNK)
        row_sums_add_elements(s, x + at, chunk_length(at, n));
}

static inline struct moments row_moments_from(struct row_sums *s, size_t n, double nearness)
{
    return moments_from_sums(per_row_set1(d_of(s->pivot)), per_row_set1(wide_sum(s->sum)),
                             per_row_set1(wide_sum(s->squares)), inverse_of(n), nearness);
}
static inline float row_mean(per_row mean)
{
    float c[BATCH_ROWS];
    per_row_store(c, mean);
    return c[0];
}

/* Chooses the pivot of a row of several chunks by its first elements, the pilot: 0 if that is near
 * enough for them, otherwise their mean. A second pass over the row is then rare. */
enum { PILOT = 128 };
static inline struct row_sums row_sums_open(const element *x, size_t n)
{
    struct row_sums s = row_sums_zero(0.0f);
    if (!CENTRED || n <= MOMENT_CHUNK) return s;
    row_sums_add_elements(&s, x, PILOT);
    struct moments m = row_moments_from(&s, PILOT, nearness_of_zero);
    return row_sums_zero(m.settled ? 0.0f : row_mean(m.mean));
}

static __attribute__((noinline)) struct moments row_retry(const element *x, size_t n, per_row mean)
{
    struct row_sums s = row_sums_zero(row_mean(mean));
    row_sums_add_row(&s, x, n);
    struct moments m = row_moments_from(&s, n, nearness_of_mean);
    if (!m.settled) settle_in_double(&m, &x, 1, n);
    return m;
}

/* Returns the row's moments, after every chunk was added. */
static inline struct moments row_moments(struct row_sums *s, const element *x, size_t n)
{
    struct moments m = row_moments_from(s, n, nearness_of_zero);
    return !CENTRED || m.settled ? m : row_retry(x, n, m.mean);
}

/* ---- A batch of long rows -------------------------------------------------------------------- */

/* A batch of long rows: computing the moments of all takes as long as computing those of one. */
struct long_row_batch {
    const element *x[BATCH_ROWS];
    size_t count;
    float pivot[BATCH_ROWS];
    struct wide sum[BATCH_ROWS], squares[BATCH_ROWS];
};
static inline void long_batch_set(struct long_row_batch *b, size_t k, const struct row_sums *s)
{
    b->pivot[k] = s->pivot;
    b->sum[k] = s->sum;
    b->squares[k] = s->squares;
}
ALWAYS_INLINE void long_batch_sum_row(struct long_row_batch *b, size_t k, size_t n)
{
    struct row_sums s = row_sums_open(b->x[k], n);
    row_sums_add_row(&s, b->x[k], n);
    long_batch_set(b, k, &s);
}

/* Sums the rows again that their pivot did not settle. */
static __attribute__((noinline)) void long_batch_retry(struct moments *m,
                                                       const struct long_row_batch *b, size_t n)
{
    double mean[BATCH_ROWS], variance[BATCH_ROWS], one[BATCH_ROWS];
    per_row_store_doubles(mean, m->mean);
    per_row_store_doubles(variance, m->variance);
    for (size_t k = 0; k < b->count; k++) {
        if (m->settled >> k & 1) continue;
        struct moments a = row_retry(b->x[k], n, per_row_set1(mean[k]));
        per_row_store_doubles(one, a.mean), mean[k] = one[0];
        per_row_store_doubles(one, a.variance), variance[k] = one[0];
        m->settled |= (a.settled & 1) << k;
    }
    m->mean = per_row_load_doubles(mean);
    m->variance = per_row_load_doubles(variance);
}
/* Returns the batch's moments, after long_batch_sum_row() of every row. */
ALWAYS_INLINE struct moments long_batch_moments(struct long_row_batch *b, size_t n, double inverse)
{
    struct row_sums none = row_sums_zero(0.0f);
    for (size_t k = b->count; k < BATCH_ROWS; k++) long_batch_set(b, k, &none);
    struct moments m = moments_from_sums(per_row_load(b->pivot),
                                         CENTRED ? per_row_total(b->sum) : per_row_set1(0.0),
                                         per_row_total(b->squares), inverse, nearness_of_zero);
    if (CENTRED && m.settled != ALL_ROWS) long_batch_retry(&m, b, n);
    return m;
}

#endif
