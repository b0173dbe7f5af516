// SPDX-License-Identifier: MIT
#include "measure/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/memory.h"
#include "oracle/f64_ulp.h"
#include "oracle/ulp.h"

/* ---- Faults: results that are wrong by any standard ------------------------------------------ */

/* The results of a variant and of another one for a row. */
struct faults_row {
    const struct oracle *op;
    const struct dtype *type; /* of the results */
    const void *x;            /* [n], doubles where the type is f64, else floats */
    size_t n;
    const void *got, *other; /* [count], as x; other: NULL where there is none */
    const void *want;        /* [count], struct f64_value where the type is f64, else doubles */
    size_t count;
    double floor;         /* of the input-scaled error */
    const double *floors; /* [count], of each result alone, or NULL */
    size_t row, index;
};

/* The number of steps from zero at which a subnormal result is more than a rounding error. */
enum { VISIBLE_STEPS = 16 };

/* An error of more than half of a type's digits is not a rounding error: only results with smaller
 * errors count as accurate, and are used for comparison with another variant's. */
static double accurate_ulp(const struct dtype *t)
{
    return t == &dtype_f64 ? 0x1p26 : 0x1p12;
}

static bool faults_in_double(const struct faults_row *r)
{
    return r->type == &dtype_f64;
}

/* Returns the value at an index of floats, or doubles. */
static double value_at(bool in_double, const void *values, size_t i)
{
    return in_double ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static double faults_value(const struct faults_row *r, const void *values, size_t i)
{
    return value_at(faults_in_double(r), values, i);
}

static struct f64_value want_f64(const struct faults_row *r, size_t i)
{
    return ((const struct f64_value *)r->want)[i];
}

/* Returns the exact value, in double rounded to it. */
static double faults_want(const struct faults_row *r, size_t i)
{
    return faults_in_double(r) ? want_f64(r, i).hi : ((const double *)r->want)[i];
}

static bool faults_is_lost(const struct faults_row *r, size_t i, double got)
{
    if (faults_in_double(r)) return f64_ulp_is_lost(got, want_f64(r, i));
    return ulp_is_lost(r->type, (float)got, faults_want(r, i));
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
    if (faults_in_double(r) && r->op->sign_certain) return f64_ulp_error(got, want_f64(r, i));
    if (r->op->sign_certain) return off * power_of_two(t->fraction_bits - exponent_of(want, t));
    const double floor = fmax(r->floor, r->floors ? r->floors[i] : 0);
    const struct f64_value *wants = r->want;
    if (faults_in_double(r)) return f64_ulp_scaled_error(&got, wants + i, 1, floor);
    const double size = fmax(fmax(fabs(want), floor), power_of_two(t->min_exponent));
    return off / size * power_of_two(t->fraction_bits + 1);
}

static bool is_flushed(const struct faults_row *r, double got, double want)
{
    const double size = fabs(want);
    return got == 0 && size >= r->type->least && size < power_of_two(r->type->min_exponent);
}

/* Returns whether the result has an error: flushed results are counted separately. */
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

/* A zero in place of a number is a fault unless rounding can cause it, as it can where terms
 * cancel. */
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
    const uint64_t bits = isnan(y)              ? 0x7fc00000u
                          : faults_in_double(r) ? bits_of(y)
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

/* Returns the size of an exact value. */
static size_t want_bytes(const struct stage *s)
{
    return in_double(s) ? sizeof(struct f64_value) : sizeof(double);
}

void exact_open(struct exact_block *x, const struct oracle *op, const struct parameters *p,
                const struct stage *s)
{
    const struct parameters with = stage_parameters(s, p);
    const size_t size = want_bytes(s), values = oracle_values(op, s->n);
    size_t beyond = 0, overflowing = 0;
    *x = (struct exact_block){.facts = memory_zeroed(s->rows + 1, sizeof *x->facts)};
    for (size_t o = 0; o < output_count(op); o++) {
        const size_t count = s->rows * width(op, o, s->n) + 1;
        x->want[o] = memory_new(count * size);
        /* The lab's own operations have one floor per output. */
        if (oracle_source(op)) x->floors[o] = memory_new(count * sizeof(double));
    }
#pragma omp parallel num_threads(s->threads) reduction(+ : beyond, overflowing)
    {
        char *y = memory_new((values + 1) * size);
        double *floors = memory_new((values + 1) * sizeof *floors);
#pragma omp for schedule(static)
        for (size_t row = 0; row < s->rows; row++) {
            struct oracle_row *facts = &x->facts[row];
            for (size_t i = 0; i < values; i++) floors[i] = 0;
            facts->floors = floors;
            exact_row(s, op, row, &with, y, facts);
            facts->floors = NULL;
            beyond += facts->beyond;
            overflowing += overflows(s, facts);
            for (size_t o = 0, from = 0; o < output_count(op); o++) {
                size_t w = width(op, o, s->n);
                memcpy((char *)x->want[o] + row * w * size, y + from * size, w * size);
                if (x->floors[o]) memcpy(x->floors[o] + row * w, floors + from, w * sizeof *floors);
                from += w;
            }
        }
        free(y);
        free(floors);
    }
    x->beyond = beyond;
    x->overflowing = overflowing;
}

void exact_close(struct exact_block *x)
{
    for (size_t o = 0; o < OUTPUTS_MAX; o++) {
        free(x->want[o]);
        free(x->floors[o]);
    }
    free(x->facts);
    *x = (struct exact_block){0};
}

/* ---- Scores ---------------------------------------------------------------------------------- */

struct part {
    struct ulp_stats stats[OUTPUTS_MAX];
    double scaled[OUTPUTS_MAX];
    struct bound_ratio bound;
    struct faults faults;
};

/* Returns the exact values of an output from a row on. */
static const void *want_from(const struct scoring *w, size_t output, size_t row)
{
    const size_t values = row * width(w->op, output, w->stage->n);
    return (const char *)w->exact->want[output] + values * want_bytes(w->stage);
}

/* Returns the input-scaled error of `count` results from the first one's exact value and floor on.
 */
static double scaled_error(const struct dtype *type, const void *got, const void *want,
                           size_t count, double floor)
{
    return type == &dtype_f64 ? f64_ulp_scaled_error(got, want, count, floor)
                              : ulp_scaled_error_as(type, got, want, count, floor);
}

/* Returns the input-scaled error of a row's results, each of which may have a floor of its own. */
static double row_scaled_error(const struct scoring *w, const struct dtype *type, size_t output,
                               size_t row, const char *got)
{
    const size_t each = width(w->op, output, w->stage->n), bytes = w->stage->computed->bytes;
    const double floor = w->exact->facts[row].floor[output], *floors = w->exact->floors[output];
    const char *want = want_from(w, output, row);
    double worst = 0;
    if (!floors) return scaled_error(type, got, want, each, floor);
    for (size_t i = 0; i < each; i++)
        worst = fmax(worst, scaled_error(type, got + i * bytes, want + i * want_bytes(w->stage), 1,
                                         fmax(floor, floors[row * each + i])));
    return worst;
}

/* Scores one output of one chunk, contiguous in got; rows beyond the oracle are left out. */
static void score_rows(const struct scoring *w, size_t output, size_t chunk, const char *got,
                       struct part *part, struct ulp_histogram *h)
{
    const struct stage *s = w->stage;
    const size_t first = chunk * s->chunk_rows, last = first + stage_chunk_rows(s, chunk);
    const size_t each = width(w->op, output, s->n), row_bytes = each * s->computed->bytes;
    /* Statistics beside results per element are as the kernel computes. */
    const struct dtype *type = output ? s->computed : s->ytype;
    for (size_t r = first; r < last; r++) {
        const char *from = got + (r - first) * row_bytes;
        size_t end = r;
        for (; end < last && !w->exact->facts[end].beyond; end++)
            part->scaled[output] =
                fmax(part->scaled[output],
                     row_scaled_error(w, type, output, end, got + (end - first) * row_bytes));
        const void *want = want_from(w, output, r);
        const size_t count = (end - r) * each, index = r * each;
        if (in_double(s))
            f64_ulp_measure((const void *)from, want, count, index, &part->stats[output], h);
        else
            ulp_measure_as(type, (const void *)from, want, count, index, &part->stats[output], h);
        r = end;
    }
}

static void score_bound(const struct scoring *w, size_t chunk, struct part *part)
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
            want = want_from(w, 0, first + r);
        else
            for (size_t o = 0; o < w->op->columns; o++)
                columns[o] = *(const double *)want_from(w, o, first + r);
        if (!facts->beyond)
            bounds_row(w->kernel, w->parameters, x + r * s->n, s->n, y + r * s->columns, want,
                       facts, &part->bound);
    }
}

/* Counts faults among the results of y in the row's order: those per element, or its columns. No
 * promise covers rows whose squares overflow. */
static void judge_chunk(const struct scoring *w, size_t chunk, struct part *part)
{
    const struct stage *s = w->stage;
    const size_t first = chunk * s->chunk_rows, rows = stage_chunk_rows(s, chunk);
    const size_t outputs = w->op->elementwise ? 1 : w->op->columns;
    for (size_t r = 0; r < rows; r++) {
        const struct oracle_row *facts = &w->exact->facts[first + r];
        if (facts->beyond || overflows(s, facts)) continue;
        for (size_t o = 0; o < outputs; o++) {
            const size_t each = width(w->op, o, s->n), at = r * s->columns + o;
            const size_t bytes = s->computed->bytes;
            const struct faults_row row = {
                .op = w->op,
                .type = s->ytype,
                .x = (const char *)stage_x(s, chunk) + r * s->n * bytes,
                .n = s->n,
                .got = (const char *)stage_y(s, chunk) + at * bytes,
                .other = w->beside ? w->beside + (first * s->columns + at) * bytes : NULL,
                .want = want_from(w, o, first + r),
                .count = each,
                .floor = facts->floor[o],
                .floors = w->exact->floors[o] ? w->exact->floors[o] + (first + r) * each : NULL,
                .row = first + r,
                .index = o};
            faults_add(&part->faults, &row);
        }
    }
}

static void score_chunk(const struct scoring *w, size_t chunk, struct part *part,
                        struct ulp_histogram *histograms, char *column)
{
    const struct stage *s = w->stage;
    const size_t rows = stage_chunk_rows(s, chunk), outputs = output_count(w->op);
    const size_t bytes = s->computed->bytes;
    for (size_t o = 0; o < outputs; o++) {
        ulp_begin(&part->stats[o]);
        const char *got = stage_y(s, chunk);
        if (!w->op->elementwise || o > 0) {
            const char *from = w->op->elementwise ? stage_stats(s, chunk) : got;
            from += (o - w->op->elementwise) * bytes;
            for (size_t r = 0; r < rows; r++)
                memcpy(column + r * bytes, from + r * w->op->columns * bytes, bytes);
            got = column;
        }
        score_rows(w, o, chunk, got, part, &histograms[o]);
    }
    bounds_begin(&part->bound);
    score_bound(w, chunk, part);
    if (w->judged) judge_chunk(w, chunk, part);
}

static struct figures figures_of(const struct ulp_stats *s, const struct ulp_histogram *h,
                                 double scaled)
{
    return (struct figures){.stats = *s,
                            .p50 = ulp_percentile(h, s, 0.5),
                            .p99 = ulp_percentile(h, s, 0.99),
                            .p9999 = ulp_percentile(h, s, 0.9999),
                            .scaled = ulp_elements(s) ? scaled : NAN};
}

/* Returns the result at a place: of the output per element, or one of the columns. */
static struct place place_at(const struct scoring *w, size_t row, size_t index)
{
    const struct stage *s = w->stage;
    const size_t chunk = row / s->chunk_rows, in_chunk = row - chunk * s->chunk_rows;
    const size_t o = w->op->elementwise ? 0 : index, each = width(w->op, o, s->n);
    const double *want =
        (const void *)((const char *)want_from(w, o, row) + (o ? 0 : index % each) * want_bytes(s));
    struct place p = {.known = true,
                      .row = row,
                      .index = index,
                      .got =
                          value_at(in_double(s), stage_y(s, chunk), in_chunk * s->columns + index),
                      .want = *want}; /* of a struct f64_value the first, too */
    if (w->op->elementwise && index < s->n)
        p.input = value_at(in_double(s), stage_x(s, chunk), in_chunk * s->n + index);
    return p;
}

/* Finds the element with the largest error: in the output per element, or in one of the columns. */
static void locate(struct score *score, const struct scoring *w, const struct part *total)
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

static void sum_up(struct score *score, const struct scoring *w, const struct part *parts,
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

void score_outputs(struct score *score, const struct scoring *w)
{
    const struct stage *s = w->stage;
    struct part *parts = memory_zeroed(s->chunks + 1, sizeof *parts);
    struct ulp_histogram *whole = memory_zeroed(OUTPUTS_MAX, sizeof *whole);
#pragma omp parallel num_threads(s->threads)
    {
        struct ulp_histogram *mine = memory_zeroed(OUTPUTS_MAX, sizeof *mine);
        char *column = memory_new(s->chunk_rows * s->computed->bytes);
#pragma omp for schedule(dynamic) nowait
        for (size_t c = 0; c < s->chunks; c++) score_chunk(w, c, &parts[c], mine, column);
#pragma omp critical
        for (size_t o = 0; o < output_count(w->op); o++) ulp_merge_histogram(&whole[o], &mine[o]);
        free(column);
        free(mine);
    }
    *score = (struct score){.beyond = w->exact->beyond, .overflowing = w->exact->overflowing};
    sum_up(score, w, parts, whole);
    free(parts);
    free(whole);
}
