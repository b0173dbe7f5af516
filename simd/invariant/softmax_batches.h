// SPDX-License-Identifier: MIT
/* softmax of short rows: batches of up to VL rows (exp_rows.h), software-pipelined as rows are in
 * softmax_pipeline.h: the numerators of one batch beside the quotients of the batch before. */
#ifndef SOFTMAX_BATCHES_H
#define SOFTMAX_BATCHES_H

#include "softmax_pipeline.h"

/* A batch. Numerators are in y, or with streaming stores in an area of the stack. Rows that are not
 * stored as floats are widened, and their results rounded, in the batch's own room. */
enum { ROOM = STORED_FLOATS ? 1 : VL * WIDENED_LENGTH };
struct softmax_batch {
    struct exp_batch exps;
    size_t first, e_stride, y_stride;
    float *e, *y, high[VL], low[VL], widened[ROOM], results[ROOM];
};

/* Returns the condition that a batch has to fit. */
static inline enum condition batch_fits(int streams)
{
    return !STORED_FLOATS ? WIDENED_ROW_IS_SHORT : streams ? STREAMED_BATCH_FITS_L1 : BATCH_FITS_L2;
}

/* Opens a batch with as many rows from `first` on as it takes, and returns their count. Numerators
 * go to `area`, or to y if it is NULL. */
ALWAYS_INLINE size_t open_batch(struct softmax_batch *b, const struct job *j, size_t first,
                                float *area, struct batch_exponents *e)
{
    int any = takes_batch(j, first, ENOUGH_ROWS, batch_fits(area != NULL));
    size_t n = j->n, lines = (n + LINE - 1) / LINE * LINE, count = any ? rows_from(j, first) : 0;
    if (area && count > AREA / lines) count = AREA / lines;
    b->first = first;
    b->exps.n = n;
    b->exps.count = count;
    if (!count) return 0;
    b->exps.stride = STORED_FLOATS ? j->x_stride : n;
    b->exps.x = x_floats(row_in(j, first), n, b->widened);
    for (size_t k = 1; !STORED_FLOATS && k < count; k++)
        x_floats(row_in(j, first + k), n, b->widened + k * n);
    b->y = y_floats(row_out(j, first), b->results);
    b->y_stride = STORED_FLOATS ? j->y_stride : n;
    b->e = area ? area : b->y;
    b->e_stride = area ? lines : b->y_stride;
    open_exp_batch(&b->exps, e);
    return count;
}

/* Computes row k's numerators, x to e, beside the quotients of the batch before, e_before to y. */
ALWAYS_INLINE void add_row_beside(struct exp_batch *b, const struct batch_exponents *exponents,
                                  size_t k, const float *x, float *e, const float *e_before,
                                  float *y, struct double_float f, size_t n, enum row_length length,
                                  struct exp_scale *s)
{
    struct exp_sum sum = {0};
    vi range_bits = vi_set1(0);
    begin_row(b, exponents, k, x, 1, s);
    do_rows_side_by_side(&sum, x, e, e_before, y, n, f, s, &range_bits, 1);
    end_row(b, k, &sum, n, length, range_bits);
}

/* Computes the numerators of batch b beside the quotients of the batch before; either may be empty.
 * Streamed rows that are whole octets go side by side. */
ALWAYS_INLINE void step_batches(const struct job *j, struct softmax_batch *b,
                                const struct softmax_batch *before,
                                const struct batch_exponents *exponents, struct exp_scale *s,
                                int streams, enum row_length length, size_t n)
{
    size_t count = b->exps.count, count_before = before->exps.count;
    const float *x = count ? b->exps.x : NULL, *e_before = count_before ? before->e : NULL;
    float *e = count ? b->e : NULL, *y = count_before ? before->y : NULL;
    for (size_t k = 0; k < VL; k++) {
        int opens = k < count, closes = k < count_before;
        int side_by_side = streams && length >= ONE_OCTET && opens && closes;
        if (streams && opens) prefetch_partial_lines(row_out(j, b->first + k), n);
        if (side_by_side) {
            struct double_float f = {before->high[k], before->low[k]};
            add_row_beside(&b->exps, exponents, k, x, e, e_before, y, f, n, length, s);
        }
        if (opens) {
            if (!side_by_side) add_row(&b->exps, exponents, k, x, e, STORED, streams, n, length, s);
            x += b->exps.stride;
            e += b->e_stride;
        }
        if (closes) {
            struct double_float f = {before->high[k], before->low[k]};
            if (!side_by_side && streams)
                scale_row_streaming(e_before, y, n, f);
            else if (!side_by_side)
                scale_row(e_before, y, n, f);
            y_put(row_out(j, before->first + k), y, n);
            e_before += before->e_stride;
            y += before->y_stride;
        }
    }
}

/* Computes the reciprocals of the rows' totals. */
ALWAYS_INLINE void close_batch(struct softmax_batch *b)
{
    vd f = vd_div(vd_set1(1.0), close_exp_batch(&b->exps));
    vf h = vd_to(f);
    v_store(b->high, h);
    v_store(b->low, vd_to(vd_sub(f, vd_of(h))));
}

/* Returns whether a closed batch that is not regular is to be opened again, clamped or with
 * exponents of its own. */
ALWAYS_INLINE int retry_batch(const struct softmax_batch *b, struct batch_exponents *e,
                              struct exp_scale *s, float *clamped, enum masking *masking)
{
    if (starts_clamping(&b->exps, s, clamped, masking)) return 1;
    if (e->scope != EXPONENTS_OF_JOB) return 0;
    e->scope = EXPONENTS_OF_BATCH;
    return 1;
}

/* Fallback: computes a batch that is not regular row by row. */
NOINLINE void do_rows_one_by_one(struct softmax_batch *b, const struct job *j,
                                 enum masking *masking)
{
    for (size_t k = 0; k < b->exps.count; k++) do_row(j, b->first + k, masking);
    b->exps.count = 0;
}

/* Computes batches, and returns the first row that is left. Streamed rows that are whole octets
 * share an area with those before them, which are read first; shorter rows use one half of the area
 * for each of two batches. The second half is a quarter page further, so that the halves differ in
 * their offset within a page (4K aliasing, memory.h). When a batch is opened again, the batch
 * before it is complete: step_batches() has computed its quotients. */
ALWAYS_INLINE size_t softmax_batches(const struct job *j, enum masking *masking,
                                     enum row_length length, int streams)
{
    struct softmax_batch batches[2], *before = &batches[0], *b = &batches[1];
    _Alignas(64) float clamped[OCTET], area[AREA + 2 * PAGE_FLOATS];
    float *base = streams ? half_page_from(area, (const float *)j->x) : NULL;
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct batch_exponents exponents = no_exponents();
    size_t first = 0, n = elements_of(length, j);
    if (!is_built(length, streams)) return 0;
    before->exps.count = 0;
    for (;;) {
        int second_half = streams && length < ONE_OCTET && b == batches;
        float *place = second_half ? base + AREA / 2 + PAGE_FLOATS / 4 : base;
        size_t count = open_batch(b, j, first, place, &exponents);
        if (!count && !before->exps.count) return first;
        if (count && !b->exps.regular) do_rows_one_by_one(b, j, masking);
        step_batches(j, b, before, &exponents, &s, streams, length, n);
        if (b->exps.count) close_batch(b);
        if (b->exps.count && !b->exps.regular) {
            if (retry_batch(b, &exponents, &s, clamped, masking)) {
                before->exps.count = 0;
                continue;
            }
            do_rows_one_by_one(b, j, masking);
        }
        first += count;
        struct softmax_batch *closed = before;
        before = b;
        b = closed;
    }
}

NOINLINE size_t shorter(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, SHORTER, 0);
}
NOINLINE size_t shorter_streamed(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, SHORTER, 1);
}
NOINLINE size_t two_registers(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, TWO_REGISTERS, 0);
}
NOINLINE size_t one_octet(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, ONE_OCTET, 0);
}
NOINLINE size_t one_octet_streamed(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, ONE_OCTET, 1);
}
NOINLINE size_t longer(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, LONGER, 0);
}
NOINLINE size_t longer_streamed(const struct job *j, enum masking *m)
{
    return softmax_batches(j, m, LONGER, 1);
}

static do_batches *const softmax_batches_by_length[ROW_LENGTHS][2] = {
    [SHORTER] = {shorter, shorter_streamed},
    [TWO_REGISTERS] = {two_registers, shorter_streamed},
    [ONE_OCTET] = {one_octet, one_octet_streamed},
    [LONGER] = {longer, longer_streamed},
};

#endif
