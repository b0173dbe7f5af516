// SPDX-License-Identifier: MIT
/* The results of layernorm, from a row's moments:
 *
 *   y = (x - mean) rstd gamma + beta,  rstd = 1 / sqrt(variance + eps).
 *
 * The mean is a double-float, high + low: (x - high) rstd - low rstd keeps the digits of x that a
 * rounded mean would lose beside a large offset.
 *
 * With CENTRED = 0 these are the results of rmsnorm: y = x rstd gamma, where the mean of x^2 stands
 * for the variance. */
#ifndef LAYERNORM_APPLY_H
#define LAYERNORM_APPLY_H

#include "moments_rows.h"

/* ---- Statistics of a batch ------------------------------------------------------------------- */

enum { STATS = CENTRED ? 2 : 1 }; /* floats per row: (mean, rstd), or rstd */
struct statistics {
    size_t first, count; /* the batch's rows */
    int regular; /* no row's results are all NaN, and the sums of every row stayed within fp32 */
    float mean[BATCH_ROWS], rstd[BATCH_ROWS],
        offset[BATCH_ROWS]; /* the mean's high part; rstd; -low rstd, or for rmsnorm eps */
};

/* Makes NaNs canonical, and writes the statistics of a batch that is not full. */
static __attribute__((noinline)) void finish_irregular(struct statistics *s, float *stats)
{
    for (size_t k = 0; k < s->count; k++) {
        s->mean[k] = f_canonical(s->mean[k]);
        s->rstd[k] = f_canonical(s->rstd[k]);
        if (stats) stats[2 * k] = s->mean[k], stats[2 * k + 1] = s->rstd[k];
    }
}

/* Returns rstd by the formula in double, element by element; it may leave the range of fp32. For
 * rows of rmsnorm whose squares leave fp32 or lose digits to underflow, and for those with NaN or
 * infinities. */
static __attribute__((noinline)) double rstd_in_double(const element *x, size_t n, float eps)
{
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        double a = d_of(x_at(x + i));
        squares = d_add(squares, d_mul(a, a));
    }
    return d_div(1.0, d_sqrt(d_add(d_div(squares, d_count(n)), d_of(eps))));
}
/* Marks rows that are not settled by rstd = NaN: apply_in_double() computes them. */
static __attribute__((noinline)) void finish_unsettled(struct statistics *s, const struct job *j,
                                                       unsigned settled)
{
    for (size_t k = 0; k < s->count; k++) {
        int is_settled = settled >> k & 1;
        size_t r = s->first + k;
        if (j->stats)
            j->stats[r] = is_settled
                              ? s->rstd[k]
                              : f_canonical(f_of(rstd_in_double(row_in(j, r), j->n, j->eps)));
        if (!is_settled) s->rstd[k] = f_from_bits(NAN_BITS);
    }
}
/* If the mean of the squares, plus eps, is at least this, underflow of squares cannot show: each
 * square loses at most 2^-150. */
static const double least_mean_square = 0x1p-120;
ALWAYS_INLINE void set_rms_statistics(struct statistics *s, const struct job *j, struct moments m)
{
    per_row eps = per_row_set1(d_of(j->eps)), square = per_row_add(m.variance, eps);
    per_row rstd = per_row_div(per_row_set1(1.0), per_row_sqrt(square));
    unsigned settled = m.settled & per_row_at_most(per_row_set1(least_mean_square), square);
    per_row_store(s->mean, m.mean);
    per_row_store(s->rstd, rstd);
    per_row_store(s->offset, eps);
    s->regular = settled == ALL_ROWS;
    if (!s->regular || s->count < BATCH_ROWS)
        finish_unsettled(s, j, settled);
    else if (j->stats)
        per_row_store(j->stats + s->first, rstd);
}

/* Sets s from a batch's moments, and writes the job's stats if it has room for them. */
ALWAYS_INLINE void set_statistics(struct statistics *s, const struct job *j, struct moments m)
{
    if (!CENTRED) {
        set_rms_statistics(s, j, m);
        return;
    }
    per_row zero = per_row_set1(0.0), eps = per_row_set1(d_of(j->eps));
    per_row rstd = per_row_div(per_row_set1(1.0), per_row_sqrt(per_row_add(m.variance, eps)));
    per_row_store(s->mean, m.mean);
    per_row_store(s->rstd, rstd);
    per_row_store(s->offset, per_row_mul(per_row_sub(per_row_rounded(m.mean), m.mean), rstd));
    s->regular = (m.settled & per_row_at_most(zero, rstd)) == ALL_ROWS;
    float *stats = j->stats ? j->stats + 2 * s->first : NULL;
    if (!s->regular || s->count < BATCH_ROWS)
        finish_irregular(s, stats);
    else if (stats)
        per_row_store_pairs(stats, m.mean, rstd);
}

/* ---- Results of a row ------------------------------------------------------------------------ */

struct row_job {
    float mean, rstd, offset;
    const element *x;
    const float *gamma, *beta; /* NULL: none */
    element *y;
    size_t head; /* elements before the first line that is streamed */
    int streams; /* results go out by streaming stores */
};

static inline struct row_job row_job_of(const struct job *j, const struct statistics *s, size_t k,
                                        int streams)
{
    element *y = row_out(j, s->first + k);
    return (struct row_job){s->mean[k],
                            s->rstd[k],
                            s->offset[k],
                            row_in(j, s->first + k),
                            j->gamma,
                            j->beta,
                            y,
                            streams ? floats_before_line(y, j->n) : 0,
                            streams};
}

/* The operands of a call among gamma and beta. Every use passes a constant, so that nothing is
 * computed for an operand that is missing. */
enum affine { NEITHER, GAMMA, BETA, BOTH };
/* A row's statistics as vectors, set before any loop: clang would repeat i_set1() in each
 * iteration. */
struct row_vectors {
    vf mean, rstd, offset;
};
ALWAYS_INLINE vf normalize(const struct row_vectors *s, enum affine affine, vf x, vf gamma, vf beta)
{
    vf t = CENTRED ? i_fma(i_sub(x, s->mean), s->rstd, s->offset) : i_mul(x, s->rstd);
    if (affine == BOTH) return i_fma(t, gamma, beta);
    if (affine == GAMMA) return i_mul(t, gamma);
    if (affine == BETA) return i_add(t, beta);
    return t;
}
ALWAYS_INLINE vf normalize_vector(const struct row_job *r, const struct row_vectors *s,
                                  enum affine affine, size_t i)
{
    vf none = v_set1(0.0f);
    return normalize(s, affine, x_load(r->x + i), affine & GAMMA ? v_load(r->gamma + i) : none,
                     affine & BETA ? v_load(r->beta + i) : none);
}
ALWAYS_INLINE void normalize_part(const struct row_job *r, const struct row_vectors *s,
                                  enum affine affine, size_t i, size_t n)
{
    vf none = v_set1(0.0f), x = x_load_part(r->x + i, n, 0.0f);
    vf gamma = affine & GAMMA ? v_load_part(r->gamma + i, n, 0.0f) : none;
    vf beta = affine & BETA ? v_load_part(r->beta + i, n, 0.0f) : none;
    y_store_part(r->y + i, normalize(s, affine, x, gamma, beta), n);
}

/* The elements to compute: [i, end), or exactly STEP streamed ones from i on. The latter do not use
 * `end`, because compilers cannot know that it is i + STEP. */
enum extent { RANGE, ONE_STEP };
ALWAYS_INLINE void apply_affine(const struct row_job *r, enum affine affine, enum extent extent,
                                size_t i, size_t end)
{
    struct row_vectors s = {i_set1(r->mean), i_set1(r->rstd), i_set1(r->offset)};
    if (extent == ONE_STEP) {
        for (size_t k = i; k < i + STEP; k += VL)
            y_stream(r->y + k, normalize_vector(r, &s, affine, k));
        return;
    }
    if (r->streams) {
        for (; i + LINE <= end; i += LINE)
            for (size_t k = i; k < i + LINE; k += VL)
                y_stream(r->y + k, normalize_vector(r, &s, affine, k));
    } else { /* two registers per iteration: in short rows the loop itself costs less */
        for (; i + 2 * LANES <= end; i += 2 * LANES)
            for (size_t k = i; k < i + 2 * LANES; k += VL)
                y_store(r->y + k, normalize_vector(r, &s, affine, k));
        for (; i + VL <= end; i += VL) y_store(r->y + i, normalize_vector(r, &s, affine, i));
    }
    for (; i < end; i += VL) normalize_part(r, &s, affine, i, lanes_before(i, end));
}
/* Computes an extent by one of four calls with a constant each: clang would compile one call with a
 * variable to one loop for all four. The row is copied so that compilers see that no store changes
 * it. */
ALWAYS_INLINE void apply_extent(const struct row_job *row, enum extent extent, size_t i, size_t end)
{
    struct row_job r = *row;
    if (CENTRED && r.gamma && r.beta)
        apply_affine(&r, BOTH, extent, i, end);
    else if (r.gamma)
        apply_affine(&r, GAMMA, extent, i, end);
    else if (CENTRED && r.beta)
        apply_affine(&r, BETA, extent, i, end);
    else
        apply_affine(&r, NEITHER, extent, i, end);
}
ALWAYS_INLINE void apply_range(const struct row_job *row, size_t i, size_t end)
{
    apply_extent(row, RANGE, i, end);
}

/* Computes the elements before the first whole line into a buffer, because a masked store across
 * two lines is slow. */
static __attribute__((noinline)) void apply_head(const struct row_job *row)
{
    element results[LINE];
    int is_part_of_line = row->head < LINE;
    struct row_job r = *row;
    r.streams = 0;
    if (is_part_of_line) r.y = results;
    apply_range(&r, 0, r.head);
    if (is_part_of_line)
        store_head((float *)(void *)row->y, (const float *)(const void *)results, r.head);
}

static __attribute__((noinline)) void fill_nan(element *y, size_t n)
{
    vf nan = i_set1(f_from_bits(NAN_BITS));
    for (size_t i = 0; i < n; i += VL) y_store_part(y + i, nan, lanes_before(i, n));
}
static __attribute__((noinline)) void apply_in_double(const struct row_job *r, size_t n)
{
    double rstd = rstd_in_double(r->x, n, r->offset);
    for (size_t i = 0; i < n; i++) {
        float t = f_of(d_mul(d_of(x_at(r->x + i)), rstd));
        if (r->gamma) t = f_mul(t, r->gamma[i]);
        y_store_part(r->y + i, i_set1(f_canonical(t)), 1);
    }
}
static inline int is_irregular_row(const struct row_job *r)
{
    return (CENTRED && !f_is_finite(r->mean)) || f_is_nan(r->rstd);
}

/* Computes `length` results, from `at` elements behind the head; the share at 0 also computes the
 * head. The share at 0 fills an irregular row as a whole. */
static __attribute__((noinline)) void apply_share(const struct row_job *r, size_t at, size_t length,
                                                  size_t n)
{
    if (is_irregular_row(r)) {
        if (!at && CENTRED)
            fill_nan(r->y, n);
        else if (!at)
            apply_in_double(r, n);
        return;
    }
    if (!at && r->head) apply_head(r);
    size_t i = r->head + at, end = i + length < n ? i + length : n;
    if (i < end) apply_range(r, i, end);
}
static __attribute__((noinline)) void apply_row(const struct job *j, const struct statistics *s,
                                                size_t k, int streams)
{
    struct row_job r = row_job_of(j, s, k, streams);
    apply_share(&r, 0, j->n, j->n);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static inline void set_batch(struct statistics *s, const struct job *j, size_t first)
{
    size_t left = first < j->rows ? j->rows - first : 0;
    s->first = first;
    s->count = left < BATCH_ROWS ? left : BATCH_ROWS;
}

/* Computes the statistics of a batch of 1 to BATCH_ROWS short rows. */
ALWAYS_INLINE void sum_batch(struct statistics *s, const struct job *j, size_t n, double inverse)
{
    struct row_batch b;
    b.count = s->count;
    size_t k = 0;
    do {
        b.x[k] = row_in(j, s->first + k);
        batch_sum_row(&b, k, n, NULL);
    } while (++k < b.count);
    set_statistics(s, j, batch_moments(&b, n, inverse));
}
ALWAYS_INLINE void apply_batch(const struct job *j, const struct statistics *s, size_t n)
{
    for (size_t k = 0; !s->regular && k < s->count; k++) apply_row(j, s, k, 0);
    if (!s->regular) return;
    for (size_t k = 0; k < s->count; k++) {
        struct row_job r = {s->mean[k],
                            s->rstd[k],
                            s->offset[k],
                            row_in(j, s->first + k),
                            j->gamma,
                            j->beta,
                            row_out(j, s->first + k),
                            0,
                            0};
        apply_range(&r, 0, n);
    }
}

#endif
