// SPDX-License-Identifier: MIT
/* layernorm of rows that no cache will keep, by streaming stores: short rows in tiles, long ones
 * one after the other. layernorm_pipeline.h has the case of several long rows. */
#ifndef LAYERNORM_STREAMING_H
#define LAYERNORM_STREAMING_H

#include "layernorm_apply.h"

/* Prefetches n elements that start `bytes` behind x, which lie AHEAD elements from those in work:
 * hardware prefetch pauses while results are written and nothing is read. It must be inlined: gcc
 * takes a function that only prefetches for one without effect, and drops its calls. */
ALWAYS_INLINE void prefetch_row(const element *x, size_t bytes, size_t n)
{
    for (size_t i = 0; i < n; i += LINE) __builtin_prefetch(beyond(x + i, bytes), 0, 2);
}
/* Returns the distance to the row that lies AHEAD, which may be outside the job. */
static inline size_t bytes_ahead(const struct job *j)
{
    return AHEAD / j->n * j->x_stride * sizeof(element);
}
static __attribute__((noinline)) void stream_batch(const struct job *j, const struct statistics *s)
{
    size_t ahead = bytes_ahead(j);
    for (size_t k = 0; k < s->count; k++) {
        struct row_job r = row_job_of(j, s, k, 1);
        prefetch_row(r.x, ahead, j->n);
        if (s->regular && !r.head)
            apply_range(&r, 0, j->n);
        else
            apply_row(j, s, k, 1);
    }
}

/* Computes short rows in tiles: the sums of some batches, then their results. The tile's elements
 * are still in L1 for the results, and memory is read and written in turns long enough to pay. */
enum { TILE = 1536, TILE_BATCHES = 8 }; /* elements; batches at most */
static __attribute__((noinline)) void stream_short_rows(const struct job *j)
{
    double inverse = inverse_of(j->n);
    size_t rows = TILE / j->n < BATCH_ROWS ? TILE / j->n : BATCH_ROWS, batches = TILE / j->n / rows;
    if (batches > TILE_BATCHES) batches = TILE_BATCHES;
    for (size_t first = 0; first < j->rows;) {
        struct statistics s[TILE_BATCHES];
        size_t count = 0;
        for (; count < batches && first < j->rows; first += rows, count++) {
            set_batch(&s[count], j, first);
            if (s[count].count > rows) s[count].count = rows;
            for (size_t k = 0; k < s[count].count; k++)
                prefetch_partial_lines(row_out(j, first + k), j->n);
            sum_batch(&s[count], j, j->n, inverse);
        }
        for (size_t b = 0; b < count; b++) stream_batch(j, &s[b]);
    }
}

/* Computes a long row's results in pieces, and with each prefetches a piece of the row that lies
 * AHEAD. For rows longer than AHEAD hardware prefetch is enough. */
static void stream_long_row(const struct job *j, const struct statistics *s)
{
    enum { PIECE = 128 };
    size_t n = j->n;
    struct row_job r = row_job_of(j, s, 0, 1);
    if (n > AHEAD || is_irregular_row(&r)) {
        apply_share(&r, 0, n, n);
        return;
    }
    size_t ahead = bytes_ahead(j);
    if (r.head) apply_head(&r);
    for (size_t i = r.head; i < n; i += PIECE) {
        size_t end = n - i < PIECE ? n : i + PIECE;
        prefetch_row(r.x + i, ahead, end - i);
        apply_range(&r, i, end);
    }
}

#endif
