// SPDX-License-Identifier: MIT
/* softmax row by row, software-pipelined: a row's numerators are computed beside the quotients of
 * the row before. Numerators keep the multipliers busy, quotients the load and store ports. */
#ifndef SOFTMAX_PIPELINE_H
#define SOFTMAX_PIPELINE_H

#include "log_softmax.h"
#include "softmax_recompute.h"

/* Computes a row in two passes, the first for its maximum: for rows with NaN, infinities, |max| >=
 * LARGE, or elements far above or below the sample. */
NOINLINE void do_row_carefully(const float *x, float *y, size_t n)
{
    float m = row_max(x, n);
    double total = d_from_bits(0x7ff8000000000000u);
    if (f_is_finite(m)) {
        if (is_large(m)) {
            subtract_max(x, y, n, m);
            x = y;
            m = 0.0f;
        }
        float N = exponent_of(m);
        total = 0.0;
        for (size_t i = 0; i < n; i += BLOCK)
            total = d_add(total, store_numerators(x + i, y + i, block_length(n, i), N, MASKED));
    }
    if (d_is_finite(total))
        scale_row(y, y, n, reciprocal(total));
    else
        fill_row(y, n, f_from_bits(NAN_BITS));
}

/* ---- A row in the pipeline ------------------------------------------------------------------- */

struct softmax_row {
    const float *x;
    float *e, *y; /* e: the row's numerators, in y or a buffer */
    float N;
    double total;
    struct double_float factor;
    int is_done; /* the quotients are in y */
};

static void open_row(struct softmax_row *r, const float *x, float *e, float *y, size_t n,
                     enum masking *masking)
{
    float sample = row_sample(x, n, masking);
    *r = (struct softmax_row){.x = x, .e = e, .y = y, .N = exponent_of(sample)};
    if (is_nearly_large(sample)) {
        do_row_carefully(x, y, n);
        r->is_done = 1;
    }
}

/* Ends a row's numerators, after all were summed. */
static void close_row(struct softmax_row *r, size_t n, enum masking *masking)
{
    if (r->is_done) return;
    if (plausible(r->total)) {
        r->factor = reciprocal(r->total);
    } else {
        do_row_carefully(r->x, r->y, n);
        r->is_done = 1;
        *masking = MASKED;
    }
}

/* Computes n quotients from element `first` on. */
ALWAYS_INLINE void finish_row(const struct softmax_row *r, size_t first, size_t n, int streams)
{
    if (streams)
        scale_row_streaming(r->e + first, r->y + first, n, r->factor);
    else
        scale_row(r->e + first, r->y + first, n, r->factor);
}

/* ---- Two rows side by side ------------------------------------------------------------------- */

ALWAYS_INLINE void scale_quad(const float *e, float *y, vf high, vf low, int streams)
{
    for (size_t k = 0; k < QUAD; k += VL) {
        vf a = multiply_by(v_load(e + k), high, low);
        if (streams)
            i_stream(y + k, a);
        else
            v_store(y + k, a);
    }
}

/* Computes n numerators, x to e, beside as many quotients of the row before, e_before to y. With
 * streaming stores both rows share one buffer, so that quotients go first. Otherwise they go last,
 * because they wait for the factor. */
ALWAYS_INLINE void do_rows_side_by_side(struct exp_sum *sum, const float *x, float *e,
                                        const float *e_before, float *y, size_t n,
                                        struct double_float f, const struct exp_scale *s,
                                        vi *range_bits, int streams)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t head = streams ? floats_before_line(y, n) : 0, i = 0;
    if (head) map_head(multiply_by, e_before, y, head, f);
    e_before += head;
    y += head;
    for (; i + head + OCTET <= n; i += OCTET) {
        vf a[PARTS], b[PARTS];
        if (streams) prefetch_ahead(x + i, OCTET);
        scheduling_barrier();
        if (streams) scale_quad(e_before + i, y + i, high, low, streams);
        const float *octet = clamp_elements(s, x + i, OCTET);
        exp_quad(a, octet, e + i, STORED, s, range_bits);
        scheduling_barrier();
        size_t next = streams ? i + QUAD : i;
        scale_quad(e_before + next, y + next, high, low, streams);
        scheduling_barrier();
        exp_quad(b, octet + QUAD, e + i + QUAD, STORED, s, range_bits);
        if (!streams) scale_quad(e_before + i + QUAD, y + i + QUAD, high, low, streams);
        add_register(a, b);
        add_octet(sum, i, a);
    }
    if (streams)
        scale_row_streaming(e_before + i, y + i, n - head - i, f);
    else
        scale_row(e_before + i, y + i, n - head - i, f);
    add_elements(sum, x, e, STORED, streams, i, n, s, range_bits);
}

/* Processes the block [first, first + n) of row r, and of the row before it. */
ALWAYS_INLINE void do_blocks_side_by_side(struct softmax_row *r, const struct softmax_row *before,
                                          size_t first, size_t n, enum masking masking, int streams)
{
    _Alignas(64) float clamped[OCTET];
    struct exp_scale s = exp_scale(r->N, masking != UNMASKED ? clamped : NULL);
    struct exp_sum sum = {0};
    vi range_bits = vi_set1(0);
    do_rows_side_by_side(&sum, r->x + first, r->e + first, before->e + first, before->y + first, n,
                         before->factor, &s, &range_bits, streams);
    r->total = d_add(r->total, block_total(&sum, n, range_bits));
}
NOINLINE void do_blocks_in_caches(struct softmax_row *r, const struct softmax_row *before,
                                  size_t first, size_t n, enum masking masking)
{
    do_blocks_side_by_side(r, before, first, n, masking, 0);
}
NOINLINE void do_blocks_in_memory(struct softmax_row *r, const struct softmax_row *before,
                                  size_t first, size_t n, enum masking masking)
{
    do_blocks_side_by_side(r, before, first, n, masking, 1);
}

/* Scalar code gains nothing by rows side by side. In it each vector operation is unrolled 16 times,
 * so that the loop would be 16 times as large. */
enum { SIDE_BY_SIDE = VL > 1 };
static void do_two_rows(struct softmax_row *r, const struct softmax_row *before, size_t n,
                        enum masking masking, int streams)
{
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t length = block_length(n, first);
        if (before->is_done && r->is_done) return;
        if (SIDE_BY_SIDE && !before->is_done && !r->is_done) {
            if (streams)
                do_blocks_in_memory(r, before, first, length, masking);
            else
                do_blocks_in_caches(r, before, first, length, masking);
            continue;
        }
        if (!before->is_done) finish_row(before, first, length, streams);
        if (!r->is_done)
            r->total = d_add(r->total,
                             store_numerators(r->x + first, r->e + first, length, r->N, masking));
    }
}

/* ---- All rows -------------------------------------------------------------------------------- */

struct float_rows {
    const float *x;
    float *y, *e; /* e: room for n numerators; NULL: they go to y */
    size_t x_stride, y_stride, count, n;
};
static void do_rows_pipelined(const struct float_rows *j, enum masking *masking, int streams)
{
    struct softmax_row rows[2] = {{.is_done = 1}, {.is_done = 1}};
    size_t rows_ahead = AHEAD / 4 / j->n;
    for (size_t k = 0; k < j->count; k++) {
        struct softmax_row *r = &rows[k % 2];
        float *y = j->y + k * j->y_stride;
        if (streams && k + rows_ahead < j->count)
            prefetch_partial_lines(y + rows_ahead * j->y_stride, j->n);
        open_row(r, j->x + k * j->x_stride, j->e ? j->e : y, y, j->n, masking);
        do_two_rows(r, &rows[!(k % 2)], j->n, *masking, streams);
        close_row(r, j->n, masking);
    }
    if (!rows[!(j->count % 2)].is_done) finish_row(&rows[!(j->count % 2)], 0, j->n, streams);
}

/* Computes a single row, of either operation and any storage. */
static void do_row(const struct job *j, size_t r, enum masking *masking)
{
    const float *x = x_floats(row_in(j, r), j->n, j->scratch);
    float *y = y_floats(row_out(j, r), j->scratch + j->n);
    if (j->log_output)
        log_softmax_row(x, y, j->n, streams_stores(j), masking);
    else if (holds(j, RECOMPUTING_PAYS))
        recompute_row(x, y, j->n, masking);
    else
        do_rows_pipelined(&(struct float_rows){.x = x, .y = y, .count = 1, .n = j->n}, masking, 0);
    y_put(row_out(j, r), y, j->n);
}

#endif
