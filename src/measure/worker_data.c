// SPDX-License-Identifier: MIT
#include "measure/worker_data.h"

#include <stdlib.h>
#include <string.h>

#include "measure/cell.h"
#include "measure/team.h"
#include "oracle/oracle.h"

/* Values of families repeat after some rows: many enough that no predictor learns them, few enough
 * that a large working set costs little to fill. */
enum { DISTINCT_ROWS = 64 };

void data_choose_layout(struct data_store *s)
{
    enum { LINE = 64, LINES = 64 };
    uint64_t layout = s->work->layout;
    s->x_offset = layout % LINES * LINE;
    s->y_offset = layout / LINES % LINES * LINE;
}

enum { SCRATCH_EXTRA = 256 };

static size_t data_scratch_bytes(const struct data *d)
{
    return (2 * d->n + SCRATCH_EXTRA + 15) / 16 * 16 * dtype_computed(d->type)->bytes;
}

/* Makes a row of the user's, or of the family; for a shorter call its beginning. row: room for n
 * floats. */
static void make_row(const struct data_store *s, const struct data *d, size_t r, float *row,
                     void *x)
{
    const struct input_rows *input = &s->work->input;
    if (d->type == &dtype_f64 && !input->rows) {
        f64_inputs_row(d->family, d->domain, s->work->seed, r, d->n, x);
        return;
    }
    if (input->rows)
        memcpy(row, input->data + r * input->n, d->n * sizeof *row);
    else
        inputs_row(d->family, d->domain, s->work->seed, r, d->n, row);
    dtype_round_inputs(d->type, row, d->n);
    d->type->narrow(row, x, d->n);
}

static void fill_rows(const struct data_store *s, const struct data *d, size_t first, size_t last)
{
    size_t row_bytes = d->n * d->type->bytes, y_bytes = d->outputs * d->output_bytes;
    bool repeats = !s->work->input.rows;
    float *row = malloc(d->n * sizeof *row + 1);
    if (!row) work_out_of_memory(d->n * sizeof *row);
    for (size_t r = first; r < last; r++) {
        char *x = d->x.data + r * row_bytes;
        if (!repeats || r < first + DISTINCT_ROWS) {
            make_row(s, d, r, row, x);
        } else {
            memcpy(x, x - DISTINCT_ROWS * row_bytes, row_bytes);
        }
        memset(d->y.data + r * y_bytes, 0, y_bytes);
    }
    free(row);
}

/* Fills the rows. Each thread fills its own rows, and so is the first to touch them. */
static void worker_data_fill(const struct data_store *s, const struct data *d)
{
    const size_t scratch = data_scratch_bytes(d);
#pragma omp parallel for num_threads(d->threads) schedule(static, 1) if (d->threads > 1)
    for (unsigned i = 0; i < d->threads; i++) {
        fill_rows(s, d, team_first_row(d->rows, i, d->threads),
                  team_first_row(d->rows, i + 1, d->threads));
        memset(d->scratch.data + i * scratch, 0, scratch);
    }
}

void data_drop(struct data_store *s)
{
    for (struct data *d = s->first, *next; d; d = next) {
        next = d->next;
        buffer_unmap(&d->x);
        buffer_unmap(&d->y);
        buffer_unmap(&d->scratch);
        gates_close(d->gates);
        free(d->affine);
        free(d);
    }
    s->first = NULL;
    s->bytes = 0;
}

static struct data *data_map(struct data_store *s, const struct data *like)
{
    size_t x = like->rows * like->n * like->type->bytes;
    size_t y = like->rows * like->outputs * like->output_bytes;
    size_t scratch = like->threads * data_scratch_bytes(like);
    /* A helper is one of several, and keeps less. */
    size_t share = s->work->orders == ORDERS_AS_THEY_COME ? 32 : 4;
    if (s->bytes + x + y + scratch > s->topology->memory_bytes / share) data_drop(s);
    struct data *d = malloc(sizeof *d);
    if (d) {
        *d = *like;
        d->x = buffer_map(x, s->x_offset);
        d->y = buffer_map(y, s->y_offset);
        d->scratch = buffer_map(scratch, 0);
        d->gates = gates_open(d->threads);
    }
    if (!d || !d->x.data || !d->y.data || !d->scratch.data || !d->gates)
        work_out_of_memory(x + y + scratch);
    worker_data_fill(s, d);
    d->next = s->first;
    s->first = d;
    s->bytes += x + y + scratch;
    return d;
}

const struct data *data_for(struct data_store *s, const struct work_order *o,
                            const struct kernel *k)
{
    const struct oracle *oracle = oracle_find(k->op); /* a user's operation has none */
    struct data like = {.rows = o->rows,
                        .n = o->n,
                        .type = dtype_of(k),
                        .outputs = cell_outputs(k, o->n),
                        .output_bytes = cell_output_bytes(k),
                        .threads = o->threads,
                        .caches = caches_for(s->topology, &s->work->effective, o->threads),
                        .parameters = s->work->parameters,
                        .log_output = o->log_output,
                        .family = family_find(o->family),
                        .domain = oracle ? oracle->domain : DOMAIN_EXPONENT};
    const bool affine = oracle && oracle_is_affine(oracle);
    like.has_beta = affine && oracle_has_beta(oracle);
    for (struct data *d = s->first; d; d = d->next)
        if (d->rows == like.rows && d->n == like.n && d->outputs == like.outputs &&
            d->type == like.type && d->output_bytes == like.output_bytes &&
            d->threads == like.threads && d->domain == like.domain && d->family == like.family &&
            (d->affine != NULL) == affine && d->has_beta == like.has_beta) {
            d->log_output = like.log_output; /* the rows do not depend on it */
            return d;
        }
    if (affine) {
        const size_t half = like.n * dtype_computed(like.type)->bytes;
        char *gamma = malloc(2 * half + 1);
        if (!gamma) work_out_of_memory(2 * half);
        like.affine = gamma;
        if (like.type == &dtype_f64)
            f64_inputs_affine(like.n, like.affine, (void *)(gamma + half));
        else
            inputs_affine(like.n, like.affine, (void *)(gamma + half));
    }
    return data_map(s, &like);
}

/* Returns the job of all rows, as thread i sees them. */
struct job data_job(const struct data *d, unsigned i)
{
    return (struct job){
        .rows = d->rows,
        .n = d->n,
        .x = d->x.data,
        .x_stride = d->n,
        .y = d->y.data,
        .y_stride = d->outputs,
        .scale = d->parameters.scale,
        .log_output = d->log_output,
        .eps = d->parameters.eps,
        .gamma = d->affine,
        .beta = d->has_beta ? (void *)((char *)d->affine + d->n * dtype_computed(d->type)->bytes)
                            : NULL,
        .scratch = (void *)(d->scratch.data + i * data_scratch_bytes(d)),
        .x_padded = true, /* by the next rows or the buffer's last page */
        .caches = d->caches,
    };
}
