/* layernorm of rows that no cache will keep, by streaming stores: short rows in tiles, and one long
 * row after the other. layernorm_pipeline.h has the rows that are long and several. */
#ifndef LAYERNORM_STREAMING_H
#define LAYERNORM_STREAMING_H

#include "layernorm_apply.h"

/* While results are written, what comes AHEAD elements later is prefetched, n elements `bytes`
 * behind x: hardware prefetch pauses while nothing is read. Always inline: gcc takes a function
 * that only prefetches for one without effect, and drops its calls. */
ALWAYS_INLINE void prefetch_row(const element *x, size_t bytes, size_t n)
{
    for (size_t i = 0; i < n; i += LINE) __builtin_prefetch(beyond(x + i, bytes), 0, 2);
}
/* To the row that lies AHEAD, which may be none of the job's. */
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

/* Short rows in tiles: the sums of some batches, then their results. What was read is still near,
 * and memory is read and written in turns that are long enough to pay and short enough for L1. */
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

/* A long row's results, by pieces, each beside the prefetch of the row that lies AHEAD. For a row
 * that is longer than AHEAD hardware prefetch is enough. */
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
