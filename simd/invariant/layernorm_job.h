// SPDX-License-Identifier: MIT
/* run(), stage() and paths() of layernorm and rmsnorm: a job by the path that dispatch.h
 * chooses. */
#ifndef LAYERNORM_JOB_H
#define LAYERNORM_JOB_H

#include "layernorm_pipeline.h"
#include "layernorm_streaming.h"
#include "moments_team.h"

/* Computes short rows, software-pipelined: the sums of one batch come before the results of the
 * batch before it, which keep the processor busy during the moments, a chain of dependent
 * operations. */
ALWAYS_INLINE void short_rows_of(const struct job *j, size_t n)
{
    double inverse = inverse_of(n);
    struct statistics a, b, *next = &a, *previous = &b;
    previous->count = 0;
    for (size_t first = 0; first < j->rows || previous->count; first += BATCH_ROWS) {
        set_batch(next, j, first);
        if (next->count) sum_batch(next, j, n, inverse);
        if (previous->count) apply_batch(j, previous, n);
        struct statistics *swap = next;
        next = previous;
        previous = swap;
    }
}
/* Computes short rows; those of two registers have a loop that is compiled for their length. */
static void short_rows(const struct job *j, int streams)
{
    if (streams)
        stream_short_rows(j);
    else if (j->n == 2 * LANES)
        short_rows_of(j, 2 * LANES);
    else
        short_rows_of(j, j->n);
}

/* Computes long rows of which L1 holds several, in batches: during the moments of a single row,
 * nothing else would be computed. Returns the first row that is left. */
static size_t long_row_batches(const struct job *j)
{
    if (!holds(j, ROW_FITS_L1)) return 0;
    double inverse = inverse_of(j->n);
    size_t rows = 2 * limit_of(j, &conditions[ROW_FITS_L1]) / quantity_of(j, Q_ROW_BYTES),
           first = 0;
    while (j->rows - first > conditions[TWO_ROWS].limit) {
        struct statistics s;
        struct long_row_batch b;
        set_batch(&s, j, first);
        if (s.count > rows) s.count = rows;
        b.count = s.count;
        for (size_t k = 0; k < b.count; k++) {
            b.x[k] = row_in(j, first + k);
            long_batch_sum_row(&b, k, j->n);
        }
        set_statistics(&s, j, long_batch_moments(&b, j->n, inverse));
        apply_batch(j, &s, j->n);
        first += b.count;
    }
    return first;
}

static void long_row(const struct job *j, size_t r, int streams)
{
    const element *x = row_in(j, r);
    struct row_sums sums = row_sums_open(x, j->n);
    if (streams) prefetch_partial_lines(row_out(j, r), j->n);
    row_sums_add_row(&sums, x, j->n);
    struct statistics s;
    s.first = r;
    s.count = 1;
    set_statistics(&s, j, row_moments(&sums, x, j->n));
    if (streams)
        stream_long_row(j, &s);
    else
        apply_row(j, &s, 0, 0);
}

static void run(const struct job *j)
{
    int streams = streams_stores(j);
    if (!j->n)
        for (size_t i = 0; j->stats && i < STATS * j->rows; i++)
            j->stats[i] = f_from_bits(NAN_BITS);
    else if (holds(j, SHORT_ROW))
        short_rows(j, streams);
    else if (streams && holds(j, ENOUGH_NEIGHBOURS) && holds(j, LONG_ENOUGH_TO_PIPELINE))
        pipeline_rows(j);
    else
        for (size_t r = streams ? 0 : long_row_batches(j); r < j->rows; r++)
            long_row(j, r, streams);
    i_stream_end();
}

/* Computes one row by several threads: first the sums of its chunks, then each thread's share of
 * the results. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    int streams = streams_stores(j);
    struct share share = share_of(j->n, part, parts);
    struct moments m = {.settled = 0};
    if (stage == 0) {
        if (team_shares_row(j)) team_sum_chunks(j, part, parts);
        return;
    }
    if (team_shares_row(j)) m = team_moments(j);
    if (!m.settled) {
        if (part == 0) run(j);
        return;
    }
    struct statistics s = {.count = 1};
    struct job without_stats = *j; /* only part 0 writes them */
    if (part) without_stats.stats = NULL;
    set_statistics(&s, &without_stats, m);
    struct row_job row = row_job_of(j, &s, 0, streams);
    if (share.first < share.end) apply_share(&row, share.first, share.end - share.first, j->n);
    i_stream_end();
}

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    int streams = tell_streaming(j, out, &count);
    if (tell_condition(j, SHORT_ROW, out, &count)) return count;
    if (tell_condition(j, streams ? ENOUGH_NEIGHBOURS : TWO_ROWS, out, &count))
        tell_condition(j, streams ? LONG_ENOUGH_TO_PIPELINE : ROW_FITS_L1, out, &count);
    return count;
}

#endif
