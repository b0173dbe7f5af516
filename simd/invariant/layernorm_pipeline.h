// SPDX-License-Identifier: MIT
/* layernorm of several long rows that no cache will keep, software-pipelined: each step of a row's
 * sums goes with a step of the results of the row before, so that memory is read and written all
 * the time. Each step of x is copied to a buffer as it is summed, over the same step of the row
 * before, whose results have just been computed from it. */
#ifndef LAYERNORM_PIPELINE_H
#define LAYERNORM_PIPELINE_H

#include "layernorm_apply.h"

struct pipeline {
    struct row_job previous; /* reads its x from the buffer */
    size_t next, end;        /* whole steps of its results; those from `next` on are left */
    const float *x;          /* the chunk that is being summed */
    float *copy;             /* its place in the buffer */
};

/* Makes r the previous row, and computes its elements before y's first line and after the last
 * whole step. */
static __attribute__((noinline)) void pipeline_set_previous(struct pipeline *p,
                                                            const struct row_job *r, size_t n)
{
    p->previous = *r;
    p->next = r->head;
    p->end = n - (n - r->head) % STEP;
    if (is_irregular_row(r)) {
        if (CENTRED)
            fill_nan(r->y, n);
        else
            apply_in_double(r, n);
        p->next = p->end;
        return;
    }
    if (r->head) apply_head(r);
    apply_range(r, p->end, n);
}

/* Computes one step of the previous row's results beside the step of sums at the chunk's element i:
 * the pipelined_work of sum_chunk(). */
ALWAYS_INLINE void pipeline_step(void *pipeline, size_t i)
{
    struct pipeline *p = pipeline;
    prefetch_ahead(p->x + i, STEP);
    if (p->next < p->end) {
        apply_extent(&p->previous, ONE_STEP, p->next, 0);
        p->next += STEP;
    }
    for (size_t k = i; k < i + STEP; k += VL) v_store(p->copy + k, v_load(p->x + k));
}
ALWAYS_INLINE void pipeline_sum_as(struct pipeline *pipeline, size_t n, const float *pivot,
                                   vf sum[PARTS], vf squares[PARTS])
{
    struct pipeline p = *pipeline; /* a copy that no store of results can change */
    sum_chunk((const element *)p.x, n, pivot, FROM_ZEROS, pipeline_step, &p, sum, squares);
    pipeline->next = p.next;
}
static __attribute__((noinline)) void pipeline_sum(struct pipeline *p, size_t n, vf sum[PARTS],
                                                   vf squares[PARTS])
{
    pipeline_sum_as(p, n, NULL, sum, squares);
}
static __attribute__((noinline)) void pipeline_sum_about(struct pipeline *p, size_t n, float pivot,
                                                         vf sum[PARTS], vf squares[PARTS])
{
    pipeline_sum_as(p, n, &pivot, sum, squares);
}
static void pipeline_chunk(struct pipeline *p, const float *x, float *copy, size_t n, float pivot,
                           vf sum[PARTS], vf squares[PARTS])
{
    size_t rest = n % STEP;
    p->x = x;
    p->copy = copy;
    if (f_bits(pivot))
        pipeline_sum_about(p, n, pivot, sum, squares);
    else
        pipeline_sum(p, n, sum, squares);
    if (rest) __builtin_memcpy(copy + n - rest, x + n - rest, rest * sizeof *x);
}

static void pipeline_rows(const struct job *j)
{
    float *buffer = scratch_half_page_from_x(j);
    struct pipeline p = {.next = 0};
    for (size_t r = 0; r < j->rows; r++) {
        const element *x = row_in(j, r);
        struct row_sums sums = row_sums_open(x, j->n);
        prefetch_partial_lines(row_out(j, r), j->n);
        for (size_t at = 0; at < j->n; at += MOMENT_CHUNK) {
            vf sum[PARTS], squares[PARTS];
            pipeline_chunk(&p, (const float *)x + at, buffer + at, chunk_length(at, j->n),
                           sums.pivot, sum, squares);
            row_sums_add(&sums, sum, squares);
        }
        struct statistics s = {.first = r, .count = 1};
        set_statistics(&s, j, row_moments(&sums, x, j->n));
        struct row_job row = row_job_of(j, &s, 0, 1);
        row.x = (const element *)buffer;
        pipeline_set_previous(&p, &row, j->n);
    }
    if (p.next < p.end) apply_range(&p.previous, p.next, p.end);
}

#endif
