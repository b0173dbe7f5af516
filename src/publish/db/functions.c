// SPDX-License-Identifier: MIT
#include "publish/db/functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "machine/cpu.h"
#include "measure/evidence.h"
#include "measure/modes.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "model/registry.h"

static void sql_give(sqlite3_context *c, double value)
{
    if (!isnan(value)) sqlite3_result_double(c, value);
}

static bool is_null(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL;
}

static double sql_number_of(sqlite3_value *value)
{
    return is_null(value) ? (double)NAN : sqlite3_value_double(value);
}

static const char *db_sql_text_of(sqlite3_value *value)
{
    return (const char *)sqlite3_value_text(value);
}

/* The results of one computation that several functions return: of a ratio or a shift; the form of
 * a number. */
enum figure { VALUE, LOW, HIGH, P, TIED, SIDED, OFF, PROCESSES, ALL };
enum { DIGITS, DECIMALS, ERROR, EXACT, GROUPED };

/* The values that a function is called with. */
struct call {
    sqlite3_value **values;
    int count;
    int figure; /* enum figure, or how a number is written */
};
struct function {
    const char *name;
    int arguments; /* -1: any number */
    void (*function)(sqlite3_context *, const struct call *);
    int figure; /* enum figure, or how a number is written */
};

static void sql_call(sqlite3_context *c, int count, sqlite3_value **values)
{
    const struct function *f = sqlite3_user_data(c);
    f->function(c, &(struct call){values, count, f->figure});
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct array {
    double values[RATIO_PROCESSES_MAX];
    size_t count;
};

/* The numbers of a JSON array; NAN for other elements. */
static struct array array_of_text(const char *at)
{
    struct array a = {.count = 0};
    if (!at || *at != '[') return a;
    for (at++; *at && *at != ']' && a.count < RATIO_PROCESSES_MAX;) {
        char *end;
        const double number = strtod(at, &end);
        a.values[a.count++] = end > at ? number : (double)NAN;
        at = end + strcspn(end, ",]");
        at += *at == ',';
    }
    return a;
}

static struct array sql_array_of(sqlite3_value *value)
{
    return array_of_text(db_sql_text_of(value));
}

/* The logarithms of each process's ratio, NAN where it has none: of b over a, or of the ratios that
 * a holds where b is not given. */
static struct array sql_logs_of(const struct call *f)
{
    struct array a = sql_array_of(f->values[0]);
    if (f->count == 1) {
        for (size_t i = 0; i < a.count; i++) a.values[i] = log(a.values[i]);
        return a;
    }
    const struct array b = sql_array_of(f->values[1]);
    if (b.count < a.count) a.count = b.count;
    for (size_t i = 0; i < a.count; i++) a.values[i] = log(b.values[i] / a.values[i]);
    return a;
}

static struct array without_nan(struct array a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a.count; i++)
        if (!isnan(a.values[i])) a.values[kept++] = a.values[i];
    a.count = kept;
    return a;
}

static struct array positive(struct array a)
{
    for (size_t i = 0; i < a.count; i++)
        if (!(a.values[i] > 0)) a.values[i] = (double)NAN;
    return without_nan(a);
}

static struct by_process sql_times_of(const struct array *a)
{
    return (struct by_process){a->values, a->count};
}

/* ---- Functions of arrays --------------------------------------------------------------------- */

static void give_array(sqlite3_context *c, const double *values, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        if (i) fputc(',', out);
        if (isfinite(values[i]))
            fprintf(out, "%.17g", values[i]);
        else
            fputs("null", out);
    }
    fputc(']', out);
    memory_text_close(out);
    sqlite3_result_text(c, text, (int)size, free);
}

static void ratio(sqlite3_context *c, const struct call *f)
{
    struct array logs = without_nan(sql_logs_of(f));
    const struct ratio r =
        (f->figure == VALUE ? ratio_value_of_logs : ratio_of_logs)(logs.values, logs.count);
    const double figures[] = {[VALUE] = r.value, [LOW] = r.low, [HIGH] = r.high, [P] = r.p};
    sql_give(c, figures[f->figure]);
}

/* shift(a, b), ..; shifts(a, b): all four, as an array. NULL where either is empty. */
static void shift(sqlite3_context *c, const struct call *f)
{
    const struct array a = without_nan(sql_array_of(f->values[0]));
    const struct array b = without_nan(sql_array_of(f->values[1]));
    const struct sample x = {a.values, a.count}, y = {b.values, b.count};
    if (!a.count || !b.count) return;
    struct shift s = {0};
    if (f->figure != P) s = compare_shift(x, y);
    const double p = f->figure == P || f->figure == ALL ? compare_p(x, y) : (double)NAN;
    const double figures[] = {[VALUE] = s.estimate, [LOW] = s.low, [HIGH] = s.high, [P] = p};
    if (f->figure == ALL)
        give_array(c, figures, 4);
    else
        sql_give(c, figures[f->figure]);
}

/* least_p(n, m): the least p that the rank test of n against m values can give. */
static void least_p(sqlite3_context *c, const struct call *f)
{
    sql_give(c, compare_least_p((size_t)sqlite3_value_int64(f->values[0]),
                                (size_t)sqlite3_value_int64(f->values[1])));
}

/* Logarithms of the times, or of the ratios, that are numbers; none of NULL. */
static struct array logs_within(sqlite3_value *value)
{
    struct array a = positive(sql_array_of(value));
    for (size_t i = 0; i < a.count; i++) a.values[i] = log(a.values[i]);
    return a;
}

/* evidence(a, b, shift, prior): [slower, faster]; usual_variance(a, b): of times per process, or of
 * none and the ratios of processes that have both (measure/evidence.h). */
static void evidence(sqlite3_context *c, const struct call *f)
{
    const struct array a = logs_within(f->values[0]), b = logs_within(f->values[1]);
    const struct sample x = {a.values, a.count}, y = {b.values, b.count};
    const bool is_paired = is_null(f->values[0]);
    if (!b.count || (!a.count && !is_paired)) return;
    if (f->count == 2) {
        sql_give(c, evidence_variance(x, y));
        return;
    }
    const struct evidence is =
        evidence_of(x, y, sql_number_of(f->values[2]), sql_number_of(f->values[3]));
    give_array(c, (const double[]){is.slower, is.faster}, 2);
}

/* ---- Two cells ------------------------------------------------------------------------------- */

/* A cell's time. As a blob: this, a time from each process, and the name of its block. */
struct timing {
    double ns, low, high;
    size_t processes;
    bool tied;
};
struct cell {
    struct timing is;
    double times[RATIO_PROCESSES_MAX];
    const char *block;
};

/* sample(ns, low, high, tied, low_ns, block): the data about a cell's time. */
static void sample(sqlite3_context *c, const struct call *f)
{
    const struct array times = sql_array_of(f->values[4]);
    const struct timing is = {sql_number_of(f->values[0]), sql_number_of(f->values[1]),
                              sql_number_of(f->values[2]), times.count,
                              sqlite3_value_int(f->values[3])};
    const char *block = db_sql_text_of(f->values[5]);
    const size_t size = times.count * sizeof *times.values, length = block ? strlen(block) : 0;
    char *blob = memory_zeroed(sizeof is + size + length + 1, 1);
    memcpy(blob, &is, sizeof is);
    memcpy(blob + sizeof is, times.values, size);
    if (block) memcpy(blob + sizeof is + size, block, length);
    sqlite3_result_blob(c, blob, (int)(sizeof is + size + length + 1), free);
}

static bool sql_cell_of(sqlite3_value *value, struct cell *cell)
{
    const char *blob = sqlite3_value_blob(value);
    if (!blob) return false;
    memcpy(&cell->is, blob, sizeof cell->is);
    const size_t size = cell->is.processes * sizeof *cell->times;
    memcpy(cell->times, blob + sizeof cell->is, size);
    cell->block = blob + sizeof cell->is + size;
    return true;
}

static struct by_process times_within(const struct cell *cell)
{
    return (struct by_process){cell->times, cell->is.processes};
}

/* Returns whether both were timed side by side, in the rounds of one block. */
static bool is_side_by_side(const struct cell *a, const struct cell *b)
{
    return a->is.processes && b->is.processes && !strcmp(a->block, b->block);
}

/* Time of b over time of a. Side by side: over processes. Else of their medians, with an interval
 * from the ends of theirs, and without a p. */
static void pair(sqlite3_context *c, const struct call *f)
{
    struct cell a, b;
    const bool wide = f->figure == LOW || f->figure == HIGH || f->figure == P;
    if (!sql_cell_of(f->values[0], &a) || !sql_cell_of(f->values[1], &b)) return;
    const bool sided = is_side_by_side(&a, &b);
    struct ratio r = {b.is.ns / a.is.ns, b.is.low / a.is.high, b.is.high / a.is.low, NAN, 0, 0};
    if (sided)
        r = (wide ? ratio_of_times : ratio_value_of_times)(times_within(&a), times_within(&b));
    else if (a.is.tied || b.is.tied)
        r = (struct ratio){NAN, NAN, NAN, NAN, 0, 1};
    const double figures[] = {[VALUE] = r.value, [LOW] = r.low, [HIGH] = r.high, [P] = r.p};
    const int counts[] = {[TIED] = ratio_is_tied(r),
                          [SIDED] = sided,
                          [OFF] = (int)r.off,
                          [PROCESSES] = (int)(r.processes - r.off)};
    if (f->figure < TIED)
        sql_give(c, figures[f->figure]);
    else
        sqlite3_result_int(c, counts[f->figure]);
}

/* pair_ratios(x, y): time of b over time of a of each process, of cells timed side by side. */
static void pair_ratios(sqlite3_context *c, const struct call *f)
{
    struct cell a, b;
    if (!sql_cell_of(f->values[0], &a) || !sql_cell_of(f->values[1], &b) ||
        !is_side_by_side(&a, &b))
        return;
    const size_t count = a.is.processes < b.is.processes ? a.is.processes : b.is.processes;
    for (size_t i = 0; i < count; i++) b.times[i] /= a.times[i];
    give_array(c, b.times, count);
}

/* ---- Modes ----------------------------------------------------------------------------------- */

/* modes(medians): a JSON array of {ns_per_row, processes}; NULL where there is one. */
static void modes(sqlite3_context *c, const struct call *f)
{
    const struct array times = positive(sql_array_of(f->values[0]));
    const struct modes m = modes_of(times.values, times.count);
    if (m.count < 2) return;
    json_t *list = modes_record(&m);
    sqlite3_result_text(c, json_dumps(list, JSON_COMPACT), -1, free);
    json_decref(list);
}

/* The times of the usual mode. */
static struct array sql_usual_times(sqlite3_value *medians, struct modes *m)
{
    const struct array times = positive(sql_array_of(medians));
    struct array usual = {.count = 0};
    *m = modes_of(times.values, times.count);
    for (size_t i = 0; i < times.count; i++)
        if (times.values[i] >= m->low && times.values[i] <= m->high)
            usual.values[usual.count++] = times.values[i];
    return usual;
}

/* usual(medians): an array of the usual mode's time and its interval of 95%. */
static void usual(sqlite3_context *c, const struct call *f)
{
    struct modes m;
    const struct array times = sql_usual_times(f->values[0], &m);
    const double *samples[RATIO_PROCESSES_MAX];
    size_t sizes[RATIO_PROCESSES_MAX];
    bool exact;
    if (!m.count) return;
    for (size_t i = 0; i < times.count; i++) samples[i] = &times.values[i], sizes[i] = 1;
    const struct interval ci =
        stats_median_interval(&(struct clusters){samples, sizes, times.count}, &exact);
    give_array(c, (const double[]){m.items[m.usual].time, ci.low, ci.high}, 3);
}

/* usual_logs(medians): logarithms of those of the usual mode. */
static void usual_logs(sqlite3_context *c, const struct call *f)
{
    struct modes m;
    struct array times = sql_usual_times(f->values[0], &m);
    for (size_t i = 0; i < times.count; i++) times.values[i] = log(times.values[i]);
    give_array(c, times.values, times.count);
}

/* is_unsteady(ns_per_row, low_ns) */
static void is_unsteady(sqlite3_context *c, const struct call *f)
{
    const struct array low = sql_array_of(f->values[1]);
    sqlite3_result_int(c,
                       modes_unsteady(sqlite3_value_double(f->values[0]), low.values, low.count));
}

/* ---- Numbers and names ----------------------------------------------------------------------- */

static void give_text(sqlite3_context *c, const char *text)
{
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* digits(x, n), decimals(x, n), error_text(x), grouped(n), and exact_error(x, n [, promise]), which
 * is n decimals, marked: as base/number.h writes them. */
static void number_text(sqlite3_context *c, const struct call *f)
{
    const double x = sql_number_of(f->values[0]);
    const int n = f->count > 1 ? sqlite3_value_int(f->values[1]) : 0;
    const int how = f->figure;
    if (is_null(f->values[0])) return;
    if (how == EXACT)
        give_text(c, number_marked(number_decimals(x, n), x,
                                   f->count > 2 ? sql_number_of(f->values[2]) : (double)NAN)
                         .text);
    else
        give_text(c, (how == DIGITS     ? number_digits(x, n)
                      : how == DECIMALS ? number_decimals(x, n)
                      : how == ERROR    ? number_error(x, NAN)
                                        : number_count((uint64_t)sqlite3_value_int64(f->values[0])))
                         .text);
}

/* size_text(bytes): "1.25 MiB", in four digits. */
static void size_text(sqlite3_context *c, const struct call *f)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double size = sql_number_of(f->values[0]);
    size_t unit = 0;
    for (; unit < 3 && size >= 1024; unit++) size /= 1024;
    if (!isnan(size))
        sqlite3_result_text(c, sqlite3_mprintf("%s %s", number_digits(size, 4).text, units[unit]),
                            -1, sqlite3_free);
}

/* beyond(error, base): how far an error has grown, over the most that may be called the same: 1.5
 * times, and half a unit. */
static void sql_beyond(sqlite3_context *c, const struct call *f)
{
    if (is_null(f->values[0]) || is_null(f->values[1])) return;
    sqlite3_result_double(c,
                          sql_number_of(f->values[0]) / (1.5 * sql_number_of(f->values[1]) + 0.5));
}

/* is_gain(ratio, low): whether that is faster. Two timings of equal code may differ by 1%. */
static void sql_is_gain(sqlite3_context *c, const struct call *f)
{
    sqlite3_result_int(c, sql_number_of(f->values[1]) > 1 && sql_number_of(f->values[0]) >= 1.01);
}

static void promises(sqlite3_context *c, const struct call *f)
{
    const char *policy = db_sql_text_of(f->values[0]);
    sqlite3_result_int(c, policy && policy_promises(policy) != PROMISES_NOTHING);
}
/* The class of report.css for a ratio: above 1 is better. */
static void heat(sqlite3_context *c, const struct call *f)
{
    static const double steps[] = {0.01, 0.05, 0.15};
    static const char *const classes[] = {"heat h-3", "heat h-2", "heat h-1", "heat h0",
                                          "heat h1",  "heat h2",  "heat h3"};
    const double value = sql_number_of(f->values[0]);
    int level = 0;
    while (level < 3 && fabs(log(value)) > steps[level]) level++;
    if (!isnan(value)) give_text(c, classes[3 + (value < 1 ? -level : level)]);
}
/* shown(json): a value of a record as text: lists of words as words, anything deeper as JSON. */
static void shown(sqlite3_context *c, const struct call *f)
{
    const char *text = db_sql_text_of(f->values[0]);
    json_t *value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL, *item;
    char *all = NULL;
    size_t size = 0, i;
    FILE *out = memory_text(&all, &size);
    bool deep = json_is_object(value);
    json_array_foreach(value, i, item) deep |= !json_is_string(item);
    if (deep)
        json_dumpf(value, out, JSON_COMPACT | JSON_REAL_PRECISION(4));
    else if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.4g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", out);
    else if (!json_is_array(value))
        fputc('-', out);
    else
        json_array_foreach(value, i, item)
            fprintf(out, "%s%s", i ? ", " : "", json_string_value(item));
    memory_text_close(out);
    sqlite3_result_text(c, all, (int)size, free);
    json_decref(value);
}
/* The number that a text is, in hexadecimal, too. */
static void sql_number(sqlite3_context *c, const struct call *f)
{
    const char *text = db_sql_text_of(f->values[0]);
    if (text) sql_give(c, strtod(text, NULL));
}
/* A figure of a record, infinite if the record says so. */
static void sql_figure(sqlite3_context *c, const struct call *f)
{
    const char *text = db_sql_text_of(f->values[0]), *key = db_sql_text_of(f->values[1]);
    json_t *record = text ? json_loads(text, 0, NULL) : NULL;
    const double value = key ? record_figure(record, key) : (double)NAN;
    if (!isnan(value)) sql_give(c, value);
    json_decref(record);
}
/* ---- Means within processes ------------------------------------------------------------------ */

/* by_process(a, b) adds times as ratio_mean_add() does, so that a ratio counts as its majority of
 * processes has it; by_process(r) ratios that were formed in each process: each array weighs the
 * same. */
static void sql_add_ratios(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct ratio_mean *m = sqlite3_aggregate_context(c, sizeof *m);
    if (count == 2 && m) {
        const struct array a = sql_array_of(values[0]), b = sql_array_of(values[1]);
        ratio_mean_add(m, sql_times_of(&a), sql_times_of(&b));
        return;
    }
    const struct array logs = sql_logs_of(&(struct call){values, count, VALUE});
    struct ratio_mean one = {.ratios = logs.count > 0};
    for (size_t i = 0; i < logs.count; i++) {
        one.sums[i] = isnan(logs.values[i]) ? 0 : logs.values[i];
        one.counts[i] = !isnan(logs.values[i]);
    }
    if (m) ratio_mean_join(m, &one);
}

/* Returns the means as ratio_mean_value() does: over the processes that have all ratios or, where
 * those are fewer than three, over those that have any. */
static void means(sqlite3_context *c)
{
    const struct ratio_mean *m = sqlite3_aggregate_context(c, 0);
    double values[RATIO_PROCESSES_MAX];
    size_t last = 0, whole = 0;
    for (size_t i = 0; m && i < RATIO_PROCESSES_MAX; i++) {
        if (!m->counts[i]) continue;
        last = i + 1;
        whole += m->counts[i] == m->ratios;
    }
    for (size_t i = 0; i < last; i++)
        values[i] = m->counts[i] && (whole < 3 || m->counts[i] == m->ratios)
                        ? exp(m->sums[i] / (double)m->counts[i])
                        : (double)NAN;
    if (last) give_array(c, values, last);
}

/* ---- Aggregates of numbers ------------------------------------------------------------------- */

struct numbers {
    double *values, q;
    size_t count, room;
};

static void add_number(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct numbers *n = sqlite3_aggregate_context(c, sizeof *n);
    if (!n || is_null(values[0])) return;
    if (n->count == n->room)
        n->values = memory_grow(n->values, (n->room = 2 * n->room + 64) * sizeof *n->values);
    n->values[n->count++] = sqlite3_value_double(values[0]);
    if (count > 1) n->q = sqlite3_value_double(values[1]);
}

static void quantile(sqlite3_context *c)
{
    struct numbers *n = sqlite3_aggregate_context(c, 0);
    if (!n || !n->count) return;
    stats_sort(n->values, n->count);
    if (n->q >= 0 && n->q <= 1) sql_give(c, stats_quantile(n->values, n->count, n->q));
    free(n->values);
}

static void geomean(sqlite3_context *c)
{
    const struct numbers *n = sqlite3_aggregate_context(c, 0);
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; n && i < n->count; i++) {
        if (!(n->values[i] > 0)) continue;
        sum += log(n->values[i]);
        known++;
    }
    if (known) sqlite3_result_double(c, exp(sum / (double)known));
    if (n) free(n->values);
}

/* ---- Benjamini and Hochberg ------------------------------------------------------------------ */

/* Values come from the largest p on: each q is the least of p * count / rank so far. */
struct discoveries {
    double least;
    int64_t seen;
};

static void add_p(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct discoveries *d = sqlite3_aggregate_context(c, sizeof *d);
    (void)count;
    if (!d || is_null(values[0])) return;
    const double all = sqlite3_value_double(values[1]), rank = all - (double)d->seen++;
    const double q = rank > 0 ? sqlite3_value_double(values[0]) * all / rank : 1;
    if (d->seen == 1 || q < d->least) d->least = q;
}

static void least_q(sqlite3_context *c)
{
    const struct discoveries *d = sqlite3_aggregate_context(c, 0);
    if (d && d->seen) sqlite3_result_double(c, d->least);
}

/* A frame never loses a row: it begins with the largest p. */
static void no_inverse(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_error(c, "bh: write bh(p, count) OVER (ORDER BY p DESC)", -1);
}

/* ---- Digests --------------------------------------------------------------------------------- */

/* A hash of the values as text, which distinguishes NULL from "". */
static void sql_hash_of(sqlite3_context *c, const struct call *f)
{
    uint64_t hash = HASH_BASIS;
    for (int i = 0; i < f->count; i++) {
        const char *text = db_sql_text_of(f->values[i]);
        hash = hash_bytes(hash, text ? "=" : "-", 1);
        if (text) hash = hash_bytes(hash, text, (size_t)sqlite3_value_bytes(f->values[i]));
    }
    sqlite3_result_int64(c, (int64_t)random_mix(hash));
}

static void add_hash(sqlite3_context *c, int count, sqlite3_value **values)
{
    uint64_t *sum = sqlite3_aggregate_context(c, sizeof *sum);
    (void)count;
    if (sum) *sum += (uint64_t)sqlite3_value_int64(values[0]);
}

static void digest_text(sqlite3_context *c)
{
    char text[20];
    const uint64_t *sum = sqlite3_aggregate_context(c, 0);
    snprintf(text, sizeof text, "%016llx", sum ? (unsigned long long)*sum : 0);
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* microarchitecture(vendor, family, model, stepping), and design_has() of these and a feature. */
static void design(sqlite3_context *c, const struct call *f)
{
    const char *vendor = db_sql_text_of(f->values[0]),
               *feature = f->count > 4 ? db_sql_text_of(f->values[4]) : NULL;
    const struct microarchitecture *m =
        vendor ? microarchitecture_of(vendor, (unsigned)sqlite3_value_int(f->values[1]),
                                      (unsigned)sqlite3_value_int(f->values[2]),
                                      (unsigned)sqlite3_value_int(f->values[3]))
               : NULL;
    if (m && f->count == 4) give_text(c, m->name);
    if (m && feature) sqlite3_result_int(c, microarchitecture_has(m, feature));
}

/* ---- Flags ----------------------------------------------------------------------------------- */

static void flag_name(sqlite3_context *c, const struct call *f)
{
    const char *word = db_sql_text_of(f->values[0]);
    sqlite3_result_text(c, word ? fp_flag_name(word) : NULL, -1, SQLITE_STATIC);
}

static void flag_at_link(sqlite3_context *c, const struct call *f)
{
    const char *word = db_sql_text_of(f->values[0]);
    if (word) sqlite3_result_int(c, fp_flag_at_link(word));
}

static void flag_is_known(sqlite3_context *c, const struct call *f)
{
    const char *word = db_sql_text_of(f->values[0]);
    sqlite3_result_int(c, word && fp_flag_is(word));
}

static void flags_give_up(sqlite3_context *c, const struct call *f)
{
    const char *line = db_sql_text_of(f->values[0]);
    if (line) sqlite3_result_int64(c, fp_line_gives_up(line) & ~(unsigned)FP_IDLE);
}

void db_functions_add(const struct lab_db *l)
{
    static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    static const struct function functions[] = {
        {"microarchitecture", 4, design, VALUE},
        {"design_has", 5, design, VALUE},
        {"ratio", 2, ratio, VALUE},
        {"ratio_low", 2, ratio, LOW},
        {"ratio_high", 2, ratio, HIGH},
        {"ratio_p", 2, ratio, P},
        {"ratio", 1, ratio, VALUE},
        {"ratio_low", 1, ratio, LOW},
        {"ratio_high", 1, ratio, HIGH},
        {"ratio_p", 1, ratio, P},
        {"shift", 2, shift, VALUE},
        {"shift_low", 2, shift, LOW},
        {"shift_high", 2, shift, HIGH},
        {"mann_whitney", 2, shift, P},
        {"hash_of", -1, sql_hash_of, VALUE},
        {"sample", 6, sample, VALUE},
        {"pair", 2, pair, VALUE},
        {"pair_low", 2, pair, LOW},
        {"pair_high", 2, pair, HIGH},
        {"pair_tied", 2, pair, TIED},
        {"pair_sided", 2, pair, SIDED},
        {"pair_off", 2, pair, OFF},
        {"pair_p", 2, pair, P},
        {"pair_processes", 2, pair, PROCESSES},
        {"shifts", 2, shift, ALL},
        {"least_p", 2, least_p, VALUE},
        {"evidence", 4, evidence, VALUE},
        {"usual_variance", 2, evidence, VALUE},
        {"pair_ratios", 2, pair_ratios, VALUE},
        {"usual_logs", 1, usual_logs, VALUE},
        {"modes", 1, modes, VALUE},
        {"usual", 1, usual, VALUE},
        {"is_unsteady", 2, is_unsteady, VALUE},
        {"digits", 2, number_text, DIGITS},
        {"decimals", 2, number_text, DECIMALS},
        {"error_text", 1, number_text, ERROR},
        {"exact_error", 2, number_text, EXACT},
        {"exact_error", 3, number_text, EXACT},
        {"grouped", 1, number_text, GROUPED},
        {"size_text", 1, size_text, VALUE},
        {"beyond", 2, sql_beyond, VALUE},
        {"is_gain", 2, sql_is_gain, VALUE},
        {"promises", 1, promises, VALUE},
        {"heat", 1, heat, VALUE},
        {"shown", 1, shown, VALUE},
        {"number", 1, sql_number, VALUE},
        {"figure", 2, sql_figure, VALUE},
        {"flag_name", 1, flag_name, VALUE},
        {"flag_at_link", 1, flag_at_link, VALUE},
        {"flag_is_known", 1, flag_is_known, VALUE},
        {"flags_give_up", 1, flags_give_up, VALUE},
    };
    static const struct {
        const char *name;
        int arguments;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } aggregates[] = {
        {"by_process", 2, sql_add_ratios, means}, {"by_process", 1, sql_add_ratios, means},
        {"quantile", 2, add_number, quantile},    {"geomean", 1, add_number, geomean},
        {"digest", 1, add_hash, digest_text},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        sqlite3_create_function(l->db, functions[i].name, functions[i].arguments, flags,
                                (void *)(uintptr_t)&functions[i], sql_call, NULL, NULL);
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        sqlite3_create_function(l->db, aggregates[i].name, aggregates[i].arguments, flags, NULL,
                                NULL, aggregates[i].step, aggregates[i].end);
    sqlite3_create_window_function(l->db, "bh", 2, flags, NULL, add_p, least_q, least_q, no_inverse,
                                   NULL);
}
