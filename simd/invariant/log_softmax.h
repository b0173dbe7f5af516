// SPDX-License-Identifier: MIT
/* log_softmax: y = x - log(sum of e^x), with the logarithm as a double-float (log.h). It reads x a
 * second time and stores nothing in between. */
#ifndef LOG_SOFTMAX_H
#define LOG_SOFTMAX_H

#include "log.h"
#include "softmax_apply.h"

/* y = x - log. `streams`: by streaming stores, while it prefetches `next`. */
NOINLINE void subtract_log(const float *x, float *y, size_t n, struct double_float log, int streams,
                           const float *next)
{
    if (streams)
        map_row_streaming(subtract_from, x, y, n, log, next);
    else
        map_row(subtract_from, x, y, n, log);
}
static void log_softmax_row(const float *x, float *y, size_t n, int streams, enum masking *masking)
{
    struct row_total t = sum_row(x, n, sum_numerators, masking);
    if (f_bits(t.special))
        fill_row(y, n, f_from_bits(NAN_BITS));
    else
        subtract_log(x, y, n, double_float_of(log_of_total(&t, NUMERATORS, x, n)), streams,
                     x + AHEAD);
}

/* ---- Batches, software-pipelined ------------------------------------------------------------- */

/* A batch's logarithms are computed while the next batch's sums begin, and are subtracted from its
 * rows in turn with those sums. */

NOINLINE void close_logs(struct log_batch *b, struct batch_exponents *e)
{
    close_log_batch(b, NUMERATORS, e);
}

/* Computes the results of row k, at x, of a closed batch. */
ALWAYS_INLINE void finish_log_row(const struct log_batch *b, size_t k, const float *x, float *y,
                                  int prefetch, int streams, const float *next, size_t n,
                                  enum row_length length, enum masking *masking)
{
    struct double_float log = {b->high[k], b->low[k]};
    if (streams) prefetch_partial_lines(y, n);
    if (!b->exps.regular)
        log_softmax_row(x, y, n, streams, masking);
    else if (!prefetch && (length == TWO_REGISTERS || length == ONE_OCTET))
        map_row(subtract_from, x, y, n, log);
    else
        subtract_log(x, y, n, log, streams, next);
}

/* Computes the sums of one batch beside the results of the one before; either may be empty. */
ALWAYS_INLINE void step_log_batches(const struct job *j, struct log_batch *opened,
                                    const struct log_batch *closed, const struct batch_exponents *e,
                                    struct exp_scale *s, int prefetch, int streams,
                                    enum row_length length, size_t n, enum masking *masking)
{
    float none[OCTET]; /* nothing is stored there */
    size_t rows_ahead = AHEAD / n * j->x_stride;
    const float *x = opened->exps.x, *closed_x = closed->exps.x;
    float *y = (float *)row_out(j, closed->first);
    size_t rows = opened->exps.count > closed->exps.count ? opened->exps.count : closed->exps.count;
    for (size_t k = 0; k < rows; k++) {
        if (k < opened->exps.count) {
            add_row(&opened->exps, e, k, x, none, NUMERATORS, prefetch, n, length, s);
            x += j->x_stride;
        }
        if (k < closed->exps.count) {
            finish_log_row(closed, k, closed_x, y, prefetch, streams, closed_x + rows_ahead, n,
                           length, masking);
            closed_x += j->x_stride;
            y += j->y_stride;
        }
    }
}

/* Computes batches, and returns the first row that is left. */
ALWAYS_INLINE size_t log_batches(const struct job *j, enum masking *masking, enum row_length length,
                                 int prefetch)
{
    struct log_batch batches[2], *before = &batches[0], *b = &batches[1];
    _Alignas(64) float clamped[OCTET];
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct batch_exponents exponents = no_exponents();
    size_t first = 0, n = elements_of(length, j);
    int streams = prefetch && streams_stores(j);
    if (!is_built(length, prefetch)) return 0;
    before->first = before->exps.count = 0;
    before->exps.x = NULL;
    for (;;) {
        b->exps.count = 0;
        if (first < j->rows && takes_batch(j, first, TWO_ROWS, BATCH_FITS_L2))
            open_log_batch(b, j, first, n, &exponents);
        if (!b->exps.count && !before->exps.count) return first;
        if (before->exps.count) close_logs(before, &exponents);
        step_log_batches(j, b, before, &exponents, &s, prefetch, streams, length, n, masking);
        before->exps.count = 0;
        if (b->exps.count && starts_clamping(&b->exps, &s, clamped, masking)) continue;
        first += b->exps.count;
        struct log_batch *closed = before;
        before = b;
        b = closed;
    }
}

NOINLINE size_t log_shorter(const struct job *j, enum masking *m)
{
    return log_batches(j, m, SHORTER, 0);
}
NOINLINE size_t log_shorter_memory(const struct job *j, enum masking *m)
{
    return log_batches(j, m, SHORTER, 1);
}
NOINLINE size_t log_two_registers(const struct job *j, enum masking *m)
{
    return log_batches(j, m, TWO_REGISTERS, 0);
}
NOINLINE size_t log_octet(const struct job *j, enum masking *m)
{
    return log_batches(j, m, ONE_OCTET, 0);
}
NOINLINE size_t log_octet_memory(const struct job *j, enum masking *m)
{
    return log_batches(j, m, ONE_OCTET, 1);
}
NOINLINE size_t log_longer(const struct job *j, enum masking *m)
{
    return log_batches(j, m, LONGER, 0);
}
NOINLINE size_t log_longer_memory(const struct job *j, enum masking *m)
{
    return log_batches(j, m, LONGER, 1);
}

static do_batches *const log_batches_by_length[ROW_LENGTHS][2] = {
    [SHORTER] = {log_shorter, log_shorter_memory},
    [TWO_REGISTERS] = {log_two_registers, log_shorter_memory},
    [ONE_OCTET] = {log_octet, log_octet_memory},
    [LONGER] = {log_longer, log_longer_memory},
};

#endif
