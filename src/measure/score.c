// SPDX-License-Identifier: MIT
#include "measure/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/memory.h"
#include "oracle/f64_ulp.h"
#include "oracle/ulp.h"

/* ---- Faults: results that nobody may have ---------------------------------------------------- */

/* The results of a row, which a variant and another one gave. */
struct faults_row {
    const struct oracle *op;
    const struct dtype *type; /* of the results */
    const void *x;            /* [n], doubles where the type is f64, else floats */
    size_t n;
    const void *got, *other;          /* [count], as x; other: NULL where there is none */
    const double *want;               /* [count] */
    const struct f64_value *want_f64; /* [count], in its place where the type is f64 */
    size_t count;
    double floor;         /* of the input-scaled error */
    const double *floors; /* [count], of each result alone, or NULL */
    size_t row, index;
};

/* The number of steps from zero at which a subnormal result is more than a rounding error. */
enum { VISIBLE_STEPS = 16 };

/* Beyond half of the digits of a type an error is no rounding error any more: so far a result may
 * be off to be an accurate one beside which another's is looked at. */
static double accurate_ulp(const struct dtype *t)
{
    return t == &dtype_f64 ? 0x1p26 : 0x1p12;
}

static double faults_value(const struct faults_row *r, const void *values, size_t i)
{
    if (r->want_f64) return ((const double *)values)[i];
    return (double)((const float *)values)[i];
}

/* Returns the exact value, in double rounded to it. */
static double faults_want(const struct faults_row *r, size_t i)
{
    return r->want_f64 ? r->want_f64[i].hi : r->want[i];
}

static bool faults_is_lost(const struct faults_row *r, size_t i, double got)
{
    if (r->want_f64) return f64_ulp_is_lost(got, r->want_f64[i]);
    return ulp_is_lost(r->type, (float)got, r->want[i]);
}

/* Returns 2^k. */
static double power_of_two(int k)
{
    const uint64_t bits = (uint64_t)(1023 + k) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Returns the exponent of a number, of those below the least normal one that one's. */
static int exponent_of(double y, const struct dtype *t)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    const int exponent = (int)(bits >> 52 & 2047) - 1023;
    return exponent < t->min_exponent ? t->min_exponent : exponent;
}

/* Returns the error in the unit to read; both are finite. */
static double error_of(const struct faults_row *r, size_t i, double got)
{
    const double want = faults_want(r, i);
    const struct dtype *t = r->type;
    const double off = fabs(got - want);
    if (r->want_f64 && r->op->sign_certain) return f64_ulp_error(got, r->want_f64[i]);
    if (r->op->sign_certain) return off * power_of_two(t->fraction_bits - exponent_of(want, t));
    const double floor = fmax(r->floor, r->floors ? r->floors[i] : 0);
    if (r->want_f64) return f64_ulp_scaled_error(&got, &r->want_f64[i], 1, floor);
    const double size = fmax(fmax(fabs(want), floor), power_of_two(t->min_exponent));
    return off / size * power_of_two(t->fraction_bits + 1);
}

static bool is_flushed(const struct faults_row *r, double got, double want)
{
    const double size = fabs(want);
    return got == 0 && size >= r->type->least && size < power_of_two(r->type->min_exponent);
}

/* Returns whether the result has an error: a flushed one has a count of its own. */
static bool has_error(const struct faults_row *r, double got, double want)
{
    return isfinite(got) && isfinite(want) && !is_flushed(r, got, want);
}

static bool is_wrong(const struct faults_row *r, size_t i, double got)
{
    const double want = faults_want(r, i);
    if (faults_is_lost(r, i, got)) return true;
    if (!has_error(r, got, want)) return false;
    if (r->op->sign_certain && !signbit(got) != !signbit(want) &&
        ((got != 0 && want != 0) || (got == 0 && fabs(want) < r->type->least)))
        return true;
    return error_of(r, i, got) >= power_of_two(r->type->fraction_bits);
}

static bool has_nan(const struct faults_row *r, size_t i)
{
    if (r->op->unary) return isnan(faults_value(r, r->x, i));
    size_t k = 0;
    while (k < r->n && !isnan(faults_value(r, r->x, k))) k++;
    return k < r->n;
}

static void add_wrong(struct faults *f, const struct faults_row *r, size_t i)
{
    const bool answered = isnan(faults_want(r, i)) && has_nan(r, i);
    if (!f->wrong || (f->wrong == f->answered && !answered)) {
        f->wrong_at = (struct fault_at){r->row, r->index + i};
    }
    f->wrong++;
    f->answered += answered;
}

/* A zero is told from a number where rounding alone cannot make one of the other; where terms
 * cancel it can. */
static bool is_zero_alone(const struct faults_row *r, double a, double b)
{
    return r->op->sign_certain && (a == 0) != (b == 0) &&
           fabs(a + b) >= VISIBLE_STEPS * r->type->least;
}

/* Returns how many results differ from the other variant's other than by an error. */
static uint64_t different(const struct faults *f)
{
    return f->its_wrong + f->nan + f->inf + f->zero;
}

static uint64_t bits_of(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static void add_beside(struct faults *f, const struct faults_row *r, size_t i, bool wrong)
{
    const double got = faults_value(r, r->got, i), other = faults_value(r, r->other, i);
    const double want = faults_want(r, i);
    const struct fault_at at = {r->row, r->index + i};
    const uint64_t before = different(f);
    f->its_wrong += wrong && !is_wrong(r, i, other);
    f->nan += !isnan(got) != !isnan(other);
    f->inf += !isnan(got) && !isnan(other) && !isinf(got) != !isinf(other);
    f->zero += isfinite(got) && isfinite(other) && is_zero_alone(r, got, other);
    if (!before && different(f)) f->beside_at = at;
    if (isnan(got) && isnan(other) && bits_of(got) != bits_of(other)) {
        if (!f->payloads) f->payload_at = at;
        f->payloads++;
    }
    if (!has_error(r, got, want) || !has_error(r, other, want)) return;
    const double there = error_of(r, i, other), here = error_of(r, i, got);
    if (there > accurate_ulp(r->type)) return;
    f->accurate++;
    f->here = fmax(f->here, here);
    f->there = fmax(f->there, there);
    f->here_sum += here;
    f->there_sum += there;
}

static uint64_t mixed(const struct faults_row *r, uint64_t h, double y)
{
    const uint64_t bits = isnan(y)      ? 0x7fc00000u
                          : r->want_f64 ? bits_of(y)
                                        : bits_of_float((float)y);
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static void faults_add(struct faults *f, const struct faults_row *r)
{
    uint64_t hash = 0xcbf29ce484222325u + r->row * OUTPUTS_MAX + r->index;
    for (size_t i = 0; i < r->count; i++) {
        const double got = faults_value(r, r->got, i), want = faults_want(r, i);
        const bool wrong = is_wrong(r, i, got);
        hash = mixed(r, hash, got);
        if (wrong) add_wrong(f, r, i);
        f->lost += wrong && !has_error(r, got, want);
        f->flushed += is_flushed(r, got, want);
        if (has_error(r, got, want)) {
            const double error = error_of(r, i, got);
            f->compared += want != 0;
            f->measured++;
            f->error = fmax(f->error, error);
            f->sum += error;
        }
        if (r->other) add_beside(f, r, i, wrong);
    }
    f->numbers += hash;
}

/* Adds those of later rows. */
static void faults_merge(struct faults *f, const struct faults *later)
{
    if (later->wrong && (!f->wrong || (f->wrong == f->answered && later->wrong > later->answered)))
        f->wrong_at = later->wrong_at;
    if (!different(f)) f->beside_at = later->beside_at;
    if (!f->payloads) f->payload_at = later->payload_at;
    f->payloads += later->payloads;
    f->compared += later->compared;
    f->wrong += later->wrong;
    f->answered += later->answered;
    f->lost += later->lost;
    f->flushed += later->flushed;
    f->error = fmax(f->error, later->error);
    f->sum += later->sum;
    f->measured += later->measured;
    f->numbers += later->numbers;
    f->its_wrong += later->its_wrong;
    f->nan += later->nan;
    f->inf += later->inf;
    f->zero += later->zero;
    f->here = fmax(f->here, later->here);
    f->there = fmax(f->there, later->there);
    f->here_sum += later->here_sum;
    f->there_sum += later->there_sum;
    f->accurate += later->accurate;
}

double faults_mean(const struct faults *f)
{
    if (f->lost > f->answered) return INFINITY;
    return f->measured ? f->sum / (double)f->measured : NAN;
}

static size_t width(const struct oracle *op, size_t output, size_t n)
{
    return op->elementwise && output == 0 ? oracle_results(op, n) : 1;
}

void faults_add_row(struct faults *f, const struct oracle *op, const struct dtype *type,
                    const struct parameters *p, const float *x, size_t n, const float *y)
{
    const size_t values = oracle_values(op, n), outputs = op->elementwise ? 1 : op->columns;
    double *want = memory_zeroed(2 * values + 1, sizeof *want), *floors = want + values;
    struct oracle_row facts = {.floors = floors};
    op->row(x, n, p, want, &facts);
    for (size_t o = 0; o < outputs && !facts.beyond && !oracle_overflows(&facts); o++) {
        const struct faults_row row = {.op = op,
                                       .type = type,
                                       .x = x,
                                       .n = n,
                                       .got = y + o,
                                       .want = want + o,
                                       .count = width(op, o, n),
                                       .floor = facts.floor[o],
                                       .floors = oracle_source(op) ? floors + o : NULL,
                                       .index = o};
        faults_add(f, &row);
    }
    free(want);
}

/* ---- Exact values ---------------------------------------------------------------------------- */

static size_t output_count(const struct oracle *op)
{
    return op->elementwise + op->columns;
}

static int out_of_memory(struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: the exact values of a block; use fewer --samples");
}

static bool in_double(const struct stage *s)
{
    return s->computed == &dtype_f64;
}

static bool overflows(const struct stage *s, const struct oracle_row *facts)
{
    return in_double(s) ? f64_oracle_overflows(facts) : oracle_overflows(facts);
}

/* Evaluates a row of the stage by the operation's own reference, or the lab's oracle of its type.
 * y: doubles, or struct f64_value. */
static void exact_row(const struct stage *s, const struct oracle *op, size_t row,
                      const struct parameters *p, void *y, struct oracle_row *facts)
{
    const size_t chunk = row / s->chunk_rows, in_chunk = row - chunk * s->chunk_rows, n = s->n;
    const void *x = (const char *)stage_x(s, chunk) + in_chunk * n * s->computed->bytes;
    const struct f64_parameters with = {.scale = (double)p->scale,
                                        .eps = (double)p->eps,
                                        .gamma = (const void *)p->gamma,
                                        .beta = (const void *)p->beta};
    _Static_assert(sizeof(struct f64_value) == 2 * sizeof(double), "row_f64() writes pairs");
    if (!in_double(s))
        op->row(x, n, p, y, facts);
    else if (op->row_f64)
        op->row_f64(x, n, p, y, facts);
    else
        f64_oracle_find(op->op)->row(x, n, &with, y, facts);
}

int exact_open(struct exact *x, const struct oracle *op, const struct parameters *p,
               const struct stage *s, struct error *e)
{
    const struct parameters with = stage_parameters(s, p);
    const size_t size = in_double(s) ? sizeof(struct f64_value) : sizeof(double);
    size_t values = oracle_values(op, s->n), beyond = 0, overflowing = 0;
    *x = (struct exact){.facts = calloc(s->rows + 1, sizeof *x->facts)};
    bool have_shared = x->facts != NULL, room = true;
    char *wants[OUTPUTS_MAX];
    for (size_t o = 0; o < output_count(op); o++) {
        const size_t count = s->rows * width(op, o, s->n) + 1;
        void *want = malloc(count * size);
        wants[o] = want;
        if (in_double(s))
            x->want_f64[o] = want;
        else
            x->want[o] = want;
        have_shared = have_shared && want;
        if (!oracle_source(op)) continue; /* the lab's own operations have one floor per output */
        x->floors[o] = malloc(count * sizeof(double));
        have_shared = have_shared && x->floors[o];
    }
#pragma omp parallel num_threads(s->threads) reduction(+ : beyond, overflowing) reduction(&& : room)
    {
        char *y = malloc((values + 1) * size);
        double *floors = malloc((values + 1) * sizeof *floors);
        room = have_shared && y && floors; /* a thread's own copy, true until now */
#pragma omp for schedule(static)
        for (size_t row = 0; row < s->rows; row++) {
            if (!room) continue;
            struct oracle_row *facts = &x->facts[row];
            for (size_t i = 0; i < values; i++) floors[i] = 0;
            facts->floors = floors;
            exact_row(s, op, row, &with, y, facts);
            facts->floors = NULL;
            beyond += facts->beyond;
            overflowing += overflows(s, facts);
            for (size_t o = 0, from = 0; o < output_count(op); o++) {
                size_t w = width(op, o, s->n);
                memcpy(wants[o] + row * w * size, y + from * size, w * size);
                if (x->floors[o]) memcpy(x->floors[o] + row * w, floors + from, w * sizeof *floors);
                from += w;
            }
        }
        free(y);
        free(floors);
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

/* ---- Scores ---------------------------------------------------------------------------------- */

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
                .x = (const char *)stage_x(s, chunk) + r * s->n * bytes,
                .n = s->n,
                .got = (const char *)stage_y(s, chunk) + at * bytes,
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
        const void *got = stage_y(s, chunk);
        if (!w->op->elementwise || o > 0) {
            const char *from = w->op->elementwise ? stage_stats(s, chunk) : got;
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
                      .got = seen_at(w, stage_y(s, chunk), in_chunk * s->columns + index),
                      .want = in_double(s) ? w->exact->want_f64[o][at].hi : w->exact->want[o][at]};
    if (w->op->elementwise && index < s->n)
        p.input = seen_at(w, stage_x(s, chunk), in_chunk * s->n + index);
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
