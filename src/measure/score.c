// SPDX-License-Identifier: MIT
#include "measure/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/f64_ulp.h"

static size_t output_count(const struct oracle *op)
{
    return op->elementwise + op->columns;
}

static size_t width(const struct oracle *op, size_t output, size_t n)
{
    return op->elementwise && output == 0 ? oracle_results(op, n) : 1;
}

static int out_of_memory(struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: the exact values of a block; use fewer --samples");
}

static bool in_double(const struct stage *s)
{
    return s->computed == &dtype_f64;
}

/* Evaluates a row by the operation's own reference, or the lab's oracle of double. */
static void exact_row_f64(const struct oracle *op, const double *x, size_t n,
                          const struct parameters *p, struct f64_value *y, struct oracle_row *facts)
{
    const struct f64_parameters with = {.scale = (double)p->scale,
                                        .eps = (double)p->eps,
                                        .gamma = (const void *)p->gamma,
                                        .beta = (const void *)p->beta};
    _Static_assert(sizeof *y == 2 * sizeof(double), "row_f64() writes pairs of doubles");
    if (op->row_f64)
        op->row_f64(x, n, p, &y->hi, facts);
    else
        f64_oracle_find(op->op)->row(x, n, &with, y, facts);
}

/* Evaluates exact_row_f64() on every row. Returns false if memory is short. */
static bool exact_open_f64(struct exact *x, const struct oracle *op, const struct parameters *p,
                           const struct stage *s)
{
    const struct parameters with = stage_parameters(s, p);
    size_t values = oracle_values(op, s->n), beyond = 0, overflowing = 0;
    bool have_shared = x->facts != NULL, room = true;
    for (size_t o = 0; o < output_count(op); o++) {
        x->want_f64[o] = malloc((s->rows * width(op, o, s->n) + 1) * sizeof *x->want_f64[o]);
        have_shared = have_shared && x->want_f64[o];
        if (!oracle_source(op)) continue;
        x->floors[o] = malloc((s->rows * width(op, o, s->n) + 1) * sizeof(double));
        have_shared = have_shared && x->floors[o];
    }
#pragma omp parallel num_threads(s->threads) reduction(+ : beyond, overflowing) reduction(&& : room)
    {
        struct f64_value *y = malloc((values + 1) * sizeof *y);
        double *floors = calloc(values + 1, sizeof *floors);
        room = have_shared && y && floors;
#pragma omp for schedule(static)
        for (size_t row = 0; row < s->rows; row++) {
            if (!room) continue;
            size_t c = row / s->chunk_rows;
            for (size_t i = 0; i < values; i++) floors[i] = 0;
            x->facts[row].floors = floors;
            exact_row_f64(op, stage_x_f64(s, c) + (row - c * s->chunk_rows) * s->n, s->n, &with, y,
                          &x->facts[row]);
            x->facts[row].floors = NULL;
            beyond += x->facts[row].beyond;
            overflowing += f64_oracle_overflows(&x->facts[row]);
            for (size_t o = 0, from = 0; o < output_count(op); o++) {
                size_t w = width(op, o, s->n);
                memcpy(x->want_f64[o] + row * w, y + from, w * sizeof *y);
                if (x->floors[o]) memcpy(x->floors[o] + row * w, floors + from, w * sizeof *floors);
                from += w;
            }
        }
        free(y);
        free(floors);
    }
    x->beyond = beyond;
    x->overflowing = overflowing;
    return room;
}

int exact_open(struct exact *x, const struct oracle *op, const struct parameters *p,
               const struct stage *s, struct error *e)
{
    *x = (struct exact){.facts = calloc(s->rows + 1, sizeof *x->facts)};
    if (in_double(s)) {
        if (exact_open_f64(x, op, p, s)) return 0;
        exact_close(x);
        return out_of_memory(e);
    }
    bool have_shared = x->facts != NULL, room = true;
    for (size_t o = 0; o < output_count(op); o++) {
        x->want[o] = malloc((s->rows * width(op, o, s->n) + 1) * sizeof(double));
        have_shared = have_shared && x->want[o];
        if (!oracle_source(op)) continue; /* the lab's own operations have one floor per output */
        x->floors[o] = malloc((s->rows * width(op, o, s->n) + 1) * sizeof(double));
        have_shared = have_shared && x->floors[o];
    }
    const struct parameters with = stage_parameters(s, p);
    size_t values = oracle_values(op, s->n), beyond = 0, overflowing = 0;
#pragma omp parallel num_threads(s->threads) reduction(+ : beyond, overflowing) reduction(&& : room)
    {
        double *y = malloc((2 * values + 1) * sizeof *y), *floors = y + values;
        room = have_shared && y; /* a thread's own copy, true until now */
#pragma omp for schedule(static)
        for (size_t row = 0; row < s->rows; row++) {
            if (!room) continue;
            size_t c = row / s->chunk_rows;
            const float *in = stage_x(s, c) + (row - c * s->chunk_rows) * s->n;
            for (size_t i = 0; i < values; i++) floors[i] = 0;
            x->facts[row].floors = floors;
            op->row(in, s->n, &with, y, &x->facts[row]);
            x->facts[row].floors = NULL;
            beyond += x->facts[row].beyond;
            overflowing += oracle_overflows(&x->facts[row]);
            const double *from = y;
            for (size_t o = 0; o < output_count(op); o++) {
                size_t w = width(op, o, s->n);
                memcpy(x->want[o] + row * w, from, w * sizeof *from);
                if (x->floors[o]) memcpy(x->floors[o] + row * w, from + values, w * sizeof *from);
                from += w;
            }
        }
        free(y);
    }
    x->beyond = beyond;
    x->overflowing = overflowing;
    if (room) return 0;
    exact_close(x);
    return out_of_memory(e);
}

void exact_close(struct exact *x)
{
    for (size_t o = 0; o < OUTPUTS_MAX; o++) {
        free(x->want[o]);
        free(x->want_f64[o]);
        free(x->floors[o]);
    }
    free(x->facts);
    *x = (struct exact){0};
}

struct part {
    struct ulp_stats stats[OUTPUTS_MAX];
    double scaled[OUTPUTS_MAX];
    struct bound_ratio bound;
    struct faults faults;
};

struct work {
    const struct oracle *op;
    const struct kernel *kernel;
    const struct parameters *parameters;
    const struct stage *stage;
    const struct exact *exact;
    bool judged;
    const char *beside;
};

/* Returns the value at an index of what a stage has, a float or a double. */
static double seen_at(const struct work *w, const void *values, size_t i)
{
    return in_double(w->stage) ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Returns the input-scaled error of a row's results. floors: of each of them, or NULL. */
static double scaled_error(const struct dtype *type, const float *got, const double *want,
                           size_t count, double floor, const double *floors)
{
    double worst = 0;
    if (!floors) return ulp_scaled_error_as(type, got, want, count, floor);
    for (size_t i = 0; i < count; i++)
        worst =
            fmax(worst, ulp_scaled_error_as(type, got + i, want + i, 1, fmax(floor, floors[i])));
    return worst;
}

/* score_rows() in double. */
static void score_rows_f64(const struct work *w, size_t output, size_t chunk, const double *got,
                           struct part *part, struct ulp_histogram *h)
{
    size_t first = chunk * w->stage->chunk_rows, rows = stage_chunk_rows(w->stage, chunk);
    size_t each = width(w->op, output, w->stage->n);
    const struct f64_value *want = w->exact->want_f64[output] + first * each;
    for (size_t r = 0; r < rows; r++, got += each, want += each) {
        const struct oracle_row *facts = &w->exact->facts[first + r];
        if (facts->beyond) continue;
        const double *floors = w->exact->floors[output];
        for (size_t i = 0; floors && i < each; i++)
            part->scaled[output] = fmax(
                part->scaled[output],
                f64_ulp_scaled_error(got + i, want + i, 1,
                                     fmax(facts->floor[output], floors[(first + r) * each + i])));
        if (!floors)
            part->scaled[output] = fmax(
                part->scaled[output], f64_ulp_scaled_error(got, want, each, facts->floor[output]));
        f64_ulp_measure(got, want, each, (first + r) * each, &part->stats[output], h);
    }
}

/* Scores one output of one chunk, contiguous in got; rows beyond the oracle are left out. */
static void score_rows(const struct work *w, size_t output, size_t chunk, const float *got,
                       struct part *part, struct ulp_histogram *h)
{
    size_t first = chunk * w->stage->chunk_rows, rows = stage_chunk_rows(w->stage, chunk);
    size_t each = width(w->op, output, w->stage->n);
    const double *want = w->exact->want[output] + first * each;
    const double *floors = w->exact->floors[output];
    if (floors) floors += first * each;
    const struct oracle_row *facts = w->exact->facts + first;
    /* Statistics beside results per element are fp32. */
    const struct dtype *type = output ? &dtype_f32 : w->stage->ytype;
    for (size_t r = 0; r < rows; r++) {
        size_t end = r;
        for (; end < rows && !facts[end].beyond; end++) {
            double scaled =
                scaled_error(type, got + end * each, want + end * each, each,
                             facts[end].floor[output], floors ? floors + end * each : NULL);
            part->scaled[output] = fmax(part->scaled[output], scaled);
        }
        ulp_measure_as(type, got + r * each, want + r * each, (end - r) * each, (first + r) * each,
                       &part->stats[output], h);
        r = end;
    }
}

static void score_bound(const struct work *w, size_t chunk, struct part *part)
{
    const struct stage *s = w->stage;
    if (in_double(s)) return; /* the bounds are stated in u of fp32 */
    size_t first = chunk * s->chunk_rows, rows = stage_chunk_rows(s, chunk);
    const float *x = stage_x(s, chunk), *y = stage_y(s, chunk);
    for (size_t r = 0; r < rows; r++) {
        const struct oracle_row *facts = &w->exact->facts[first + r];
        double columns[OUTPUTS_MAX];
        const double *want = columns;
        if (w->op->elementwise)
            want = w->exact->want[0] + (first + r) * s->columns;
        else
            for (size_t o = 0; o < w->op->columns; o++) columns[o] = w->exact->want[o][first + r];
        if (!facts->beyond)
            bounds_row(w->kernel, w->parameters, x + r * s->n, s->n, y + r * s->columns, want,
                       facts, &part->bound);
    }
}

static bool overflows(const struct stage *s, const struct oracle_row *facts)
{
    return in_double(s) ? f64_oracle_overflows(facts) : oracle_overflows(facts);
}

/* Looks for faults among the results of y in the row's order: those per element, or its columns.
 * Rows whose squares overflow are outside of what anybody promises. */
static void judge_chunk(const struct work *w, size_t chunk, struct part *part)
{
    const struct stage *s = w->stage;
    const size_t first = chunk * s->chunk_rows, rows = stage_chunk_rows(s, chunk);
    const size_t outputs = w->op->elementwise ? 1 : w->op->columns;
    for (size_t r = 0; r < rows; r++) {
        const struct oracle_row *facts = &w->exact->facts[first + r];
        if (facts->beyond || overflows(s, facts)) continue;
        for (size_t o = 0; o < outputs; o++) {
            const size_t each = width(w->op, o, s->n), at = r * s->columns + o;
            const size_t bytes = s->computed->bytes, from = (first + r) * each;
            const struct faults_row row = {
                .op = w->op,
                .type = s->ytype,
                .x = (const char *)stage_seen_x(s, chunk) + r * s->n * bytes,
                .n = s->n,
                .got = (const char *)stage_seen_y(s, chunk) + at * bytes,
                .other = w->beside ? w->beside + (first * s->columns + at) * bytes : NULL,
                .want = in_double(s) ? NULL : w->exact->want[o] + from,
                .want_f64 = in_double(s) ? w->exact->want_f64[o] + from : NULL,
                .count = each,
                .floor = facts->floor[o],
                .floors = w->exact->floors[o] ? w->exact->floors[o] + (first + r) * each : NULL,
                .row = first + r,
                .index = o};
            faults_add(&part->faults, &row);
        }
    }
}

static void score_chunk(const struct work *w, size_t chunk, struct part *part,
                        struct ulp_histogram *histograms, void *column)
{
    const struct stage *s = w->stage;
    const size_t rows = stage_chunk_rows(s, chunk), outputs = output_count(w->op);
    const size_t bytes = s->computed->bytes;
    for (size_t o = 0; o < outputs; o++) {
        ulp_begin(&part->stats[o]);
        const void *got = stage_seen_y(s, chunk);
        if (!w->op->elementwise || o > 0) {
            const char *from = w->op->elementwise ? stage_seen_stats(s, chunk) : got;
            from += (o - w->op->elementwise) * bytes;
            for (size_t r = 0; r < rows; r++)
                memcpy((char *)column + r * bytes, from + r * w->op->columns * bytes, bytes);
            got = column;
        }
        if (in_double(s))
            score_rows_f64(w, o, chunk, got, part, &histograms[o]);
        else
            score_rows(w, o, chunk, got, part, &histograms[o]);
    }
    bounds_begin(&part->bound);
    score_bound(w, chunk, part);
    if (w->judged) judge_chunk(w, chunk, part);
}

static struct figures figures_of(const struct ulp_stats *s, const struct ulp_histogram *h,
                                 double scaled)
{
    return (struct figures){.elements = ulp_elements(s),
                            .lost = s->lost,
                            .nan = s->nan,
                            .inf = s->inf,
                            .sign = s->sign,
                            .flushed = s->flushed,
                            .zero = s->zero,
                            .max_ulp = s->measured ? s->max : NAN,
                            .mean_ulp = ulp_mean(s),
                            .bias_ulp = ulp_bias(s),
                            .p50_ulp = ulp_percentile(h, s, 0.5),
                            .p99_ulp = ulp_percentile(h, s, 0.99),
                            .p9999_ulp = ulp_percentile(h, s, 0.9999),
                            .misrounded = ulp_misrounded(s),
                            .unfaithful = ulp_unfaithful(s),
                            .scaled_error = ulp_elements(s) ? scaled : NAN};
}

/* Returns the result at a place: of the output per element, or one of the columns. */
static struct place place_at(const struct work *w, size_t row, size_t index)
{
    const struct stage *s = w->stage;
    const size_t chunk = row / s->chunk_rows, in_chunk = row - chunk * s->chunk_rows;
    const size_t o = w->op->elementwise ? 0 : index, each = width(w->op, o, s->n);
    const size_t at = row * each + (o ? 0 : index % each);
    struct place p = {.known = true,
                      .row = row,
                      .index = index,
                      .got = seen_at(w, stage_seen_y(s, chunk), in_chunk * s->columns + index),
                      .want = in_double(s) ? w->exact->want_f64[o][at].hi : w->exact->want[o][at]};
    if (w->op->elementwise && index < s->n)
        p.input = seen_at(w, stage_seen_x(s, chunk), in_chunk * s->n + index);
    return p;
}

/* Finds the element with the largest error: in the output per element, or in one of the columns. */
static void locate(struct score *score, const struct work *w, const struct part *total)
{
    size_t o = 0, candidates = w->op->elementwise ? 1 : w->op->columns;
    for (size_t k = 1; k < candidates; k++)
        if (total->stats[k].max > total->stats[o].max) o = k;
    const struct ulp_stats *s = &total->stats[o];
    const size_t each = width(w->op, o, w->stage->n);
    if (s->measured)
        score->worst = place_at(w, s->max_at / each, w->op->elementwise ? s->max_at % each : o);
    const struct faults *f = &total->faults;
    if (f->wrong) score->wrong = place_at(w, f->wrong_at.row, f->wrong_at.index);
    if (f->its_wrong + f->nan + f->inf + f->zero)
        score->beside = place_at(w, f->beside_at.row, f->beside_at.index);
    if (f->payloads) score->payload = place_at(w, f->payload_at.row, f->payload_at.index);
}

static void sum_up(struct score *score, const struct work *w, const struct part *parts,
                   const struct ulp_histogram *histograms)
{
    struct part total = parts[0];
    size_t outputs = output_count(w->op);
    for (size_t c = 1; c < w->stage->chunks; c++) {
        for (size_t o = 0; o < outputs; o++) {
            ulp_merge(&total.stats[o], &parts[c].stats[o]);
            total.scaled[o] = fmax(total.scaled[o], parts[c].scaled[o]);
        }
        faults_merge(&total.faults, &parts[c].faults);
        total.bound.worst = fmax(total.bound.worst, parts[c].bound.worst);
        total.bound.worst_probabilistic =
            fmax(total.bound.worst_probabilistic, parts[c].bound.worst_probabilistic);
    }
    for (size_t o = 0; o < outputs; o++)
        score->output[o] = figures_of(&total.stats[o], &histograms[o], total.scaled[o]);
    score->bound = total.bound;
    score->judged = w->judged;
    score->has_beside = w->beside != NULL;
    score->faults = total.faults;
    score->all = score->output[0];
    locate(score, w, &total);
    if (w->op->elementwise || outputs == 1) return;

    struct ulp_histogram both = histograms[0];
    struct ulp_stats stats = total.stats[0];
    double scaled = total.scaled[0];
    for (size_t o = 1; o < outputs; o++) {
        ulp_merge(&stats, &total.stats[o]);
        ulp_merge_histogram(&both, &histograms[o]);
        scaled = fmax(scaled, total.scaled[o]);
    }
    score->all = figures_of(&stats, &both, scaled);
}

int score_outputs(struct score *score, const struct oracle *op, const struct kernel *k,
                  const struct parameters *p, const struct stage *s, const struct exact *x,
                  bool judged, const void *beside, struct error *e)
{
    struct work w = {op, k, p, s, x, judged, beside};
    struct part *parts = calloc(s->chunks + 1, sizeof *parts);
    struct ulp_histogram *whole = calloc(OUTPUTS_MAX, sizeof *whole);
    bool have_shared = parts && whole, room = true;
#pragma omp parallel num_threads(s->threads) reduction(&& : room)
    {
        struct ulp_histogram *mine = calloc(OUTPUTS_MAX, sizeof *mine);
        void *column = malloc(s->chunk_rows * s->computed->bytes);
        room = have_shared && mine && column; /* a thread's own copy, true until now */
#pragma omp for schedule(dynamic) nowait
        for (size_t c = 0; c < s->chunks; c++)
            if (room) score_chunk(&w, c, &parts[c], mine, column);
#pragma omp critical
        if (room)
            for (size_t o = 0; o < output_count(op); o++) ulp_merge_histogram(&whole[o], &mine[o]);
        free(column);
        free(mine);
    }
    if (room) {
        *score = (struct score){.beyond = x->beyond, .overflowing = x->overflowing};
        sum_up(score, &w, parts, whole);
    }
    free(parts);
    free(whole);
    return room ? 0 : out_of_memory(e);
}
