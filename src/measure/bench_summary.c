// SPDX-License-Identifier: MIT
/* The rows of timing records, from the raw samples of all processes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/bench.h"
#include "measure/bench_bound.h"
#include "measure/bench_cores.h"
#include "measure/bench_resolution.h"
#include "measure/bench_samples.h"
#include "measure/modes.h"
#include "measure/ratio.h"
#include "model/peer.h"
#include "model/record.h"

/* ---- A row ----------------------------------------------------------------------------------- */

/* The processes of the usual mode. */
struct usual {
    struct modes modes;
    struct interval ci;
    bool exact; /* order statistics gave the interval */
    double cycles;
};

static struct usual usual_of(const struct samples *s)
{
    struct usual u = {.modes = modes_of(s->medians, s->ns.count)};
    const double **samples = memory_zeroed(s->ns.count + 1, sizeof *samples);
    size_t *sizes = memory_zeroed(s->ns.count + 1, sizeof *sizes), count = 0;
    double *cycles = memory_zeroed(s->ns.count + 1, sizeof *cycles);
    for (size_t p = 0; p < s->ns.count; p++) {
        if (s->medians[p] < u.modes.low || s->medians[p] > u.modes.high) continue;
        samples[count] = s->ns.samples[p];
        sizes[count] = s->ns.sizes[p];
        cycles[count++] = s->cycles[p];
    }
    u.ci = stats_median_interval(&(struct clusters){samples, sizes, count}, &u.exact);
    u.cycles = stats_median(cycles, count);
    free(samples);
    free(sizes);
    free(cycles);
    return u;
}

/* Returns a library's time of a call of one element over this cell's; else NAN. */
static double call_share(const json_t *record, double ns_per_row)
{
    return record_number(record, "call_ns") / (ns_per_row * record_number(record, "rows"));
}

/* Returns what a call that does nothing takes, per row. It is not in the times, but a call may hide
 * under a kernel that waits for its loads and stores: whole calls are what the limit holds for. */
static double empty_of(const json_t *record)
{
    const double ns = record_number(record, "empty_ns");
    return isnan(ns) ? 0 : ns / record_number(record, "rows");
}

static json_t *samples_flags(const struct samples *s, const json_t *record, const json_t *limits,
                             const struct usual *u, bool is_above)
{
    const double often = 0.1 * (double)s->total, paused = 10;
    const double longest = stats_quantile(s->all, s->total, 1);
    const struct {
        const char *name;
        bool raised;
    } flags[] = {
        {"estimated-clock-moved", (double)s->moved > often},
        {"migrated", s->migrated > 0},
        {"outliers", (double)stats_far_out(s->all, s->total) > often},
        {"paused", longest > paused * stats_quantile(s->all, s->total, 0.5)},
        {"two-modes", u->modes.count > 1},
        {"unsteady", modes_unsteady(u->modes.items[u->modes.usual].time, s->low, s->processes)},
        {"above-limit", is_above},
        {"uncounted", !bound_is_counted(record)},
        {"bytes-alone", json_array_size(limits) && bound_is_of_bytes(record, limits)},
        {"few-processes", !u->exact},
        {"partly-cached", bound_is_partly_cached(record, limits)},
        {"call-bound", call_share(record, u->modes.items[u->modes.usual].time) > PEER_CALL_SHARE},
    };
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof flags / sizeof *flags && s->total; i++)
        if (flags[i].raised) json_array_append_new(names, json_string(flags[i].name));
    return names;
}

static json_t *array_of(const double *v, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(array, record_real(v[i]));
    return array;
}

/* Returns the fields of the row that identify the cell, timed or not. */
static json_t *identity_of(const json_t *record, const char *status, const char *reason)
{
    json_t *row = json_pack("{s:s}", "record", "timing");
    static const char *const copied[] = {"id",      "variant",   "family",      "rows", "n",
                                         "threads", "residency", "working_set", "team", "ways"};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        json_t *value = json_object_get(record, copied[i]);
        json_object_set_new(row, copied[i], value ? json_incref(value) : json_null());
    }
    static const char *const optional[] = {"shapes", "instructions", "block",   "outputs",
                                           "affine", "call_ns",      "empty_ns"};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        json_t *value = json_object_get(record, optional[i]);
        if (value) json_object_set(row, optional[i], value);
    }
    json_object_set_new(row, "status", json_string(status));
    json_object_set_new(row, "reason", json_string(reason));
    return row;
}

/* Numbers, or nulls where there is no sample. */
static json_t *samples_summarise(struct samples *s, const json_t *record, const json_t *limits)
{
    const double n = record_number(record, "n");
    struct usual u = usual_of(s);
    double ns = s->ns.count ? u.modes.items[u.modes.usual].time : NAN;
    double iqr = stats_quantile(s->all, s->total, 0.75) - stats_quantile(s->all, s->total, 0.25);
    struct bounded best = bound_of(record, limits);
    const double empty = empty_of(record);
    const bool is_above = u.ci.high + empty < best.ns_per_row;
    json_t *flags = samples_flags(s, record, limits, &u, is_above);
    if (is_above) best = (struct bounded){NULL, NAN}; /* it is no limit */
    const char *source = record_text(record, "cycles_source");
    json_t *figures = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s?, s:o, s:o, s:o, s:I, s:I, s:I, s:I, "
        "s:o, s:o, s:o}",
        "ns_per_row", record_real(ns), "ci_low", record_real(u.ci.low), "ci_high",
        record_real(u.ci.high), "min", record_real(stats_quantile(s->all, s->total, 0)),
        "ns_per_element", record_real(ns / n), "cycles_per_element", record_real(u.cycles / n),
        "cycles_source", *source ? source : "none", "gb_per_s",
        record_real(record_number(record, "bytes") / ns), "flops_per_s",
        record_real(1e9 * record_number(record, "flops") / ns), "limit", best.limit,
        "percent_of_limit", record_real(100 * best.ns_per_row / (ns + empty)),
        "limit_count_per_element", record_real(bound_count(record, &best)), "flags", flags,
        "processes", (json_int_t)s->ns.count, "samples", (json_int_t)s->total, "outliers",
        (json_int_t)stats_far_out(s->all, s->total), "moved", (json_int_t)s->moved,
        "process_medians_ns", array_of(s->medians, s->ns.count), "spread", record_real(iqr / ns),
        "low_ns", array_of(s->low, s->processes));
    if (u.modes.count > 1) json_object_set_new(figures, "modes", modes_record(&u.modes));
    return figures;
}

/* Empties the counts of a cell without samples. */
static void forget_counts(json_t *figures)
{
    static const char *const counts[] = {"processes", "samples", "outliers", "moved"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(figures, counts[i], json_null());
}

/* The first record that is not ok decides; a cell that crashed in any process has crashed. */
static const json_t *worst_of(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(record_text(g->records[i], "status"), "ok") != 0) return g->records[i];
    return g->records[0];
}

/* Returns a record that has samples, if there is one: it names the clock. */
static const json_t *timed_of(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (json_array_size(json_object_get(g->records[i], "ns"))) return g->records[i];
    return g->records[0];
}

static int add_row(const struct group *g, const json_t *limits, json_t *rows, bool *partial,
                   struct error *e)
{
    const json_t *worst = worst_of(g), *timed = timed_of(g);
    enum status status = status_from_name(record_text(worst, "status"));
    /* A cell that one process would not time counts as not timed. */
    const struct group skipped = {.records = &worst, .count = 1};
    if (status == STATUS_SKIPPED) g = &skipped, timed = worst;
    struct samples s;
    if (status == STATUS_COUNT || !(record_number(worst, "rows") > 0) ||
        !(record_number(worst, "n") > 0))
        return fail(e, EXIT_BAD_INPUT, "bad record: %s: not samples of a cell; measure again",
                    record_text(worst, "id"));
    if (!samples_of(g, &s)) {
        samples_free(&s);
        return fail(e, EXIT_PARTIAL, "bench: out of memory: the summary; choose fewer cells");
    }
    json_t *row = identity_of(timed, record_text(worst, "status"), record_text(worst, "reason"));
    json_t *figures = samples_summarise(&s, timed, limits);
    if (!s.total) forget_counts(figures);
    json_object_update(row, figures);
    json_decref(figures);
    samples_free(&s);
    *partial = *partial || status_is_partial(status);
    json_array_append_new(rows, row);
    return 0;
}

/* ---- Controls -------------------------------------------------------------------------------- */

static const json_t *row_of(const json_t *rows, const char *id, const char *family)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (!strcmp(record_text(row, "id"), id) && !strcmp(record_text(row, "family"), family))
            return row;
    }
    return NULL;
}

/* {"record": "control"}: the second timing of a cell over the first. NULL where the first is not
 * there. */
static json_t *control_record(const json_t *rows, const json_t *control)
{
    char id[CELL_ID_MAX];
    snprintf(id, sizeof id, "%s", record_text(control, "id"));
    char *suffix = strstr(id, CONTROL_SUFFIX);
    if (suffix) *suffix = '\0';
    const json_t *first = row_of(rows, id, record_text(control, "family"));
    if (!first) return NULL;
    struct by_process a = resolution_low(first), b = resolution_low(control);
    struct ratio r = ratio_of_times(a, b);
    free((void *)a.values);
    free((void *)b.values);
    json_t *record = json_pack("{s:s, s:s, s:o, s:o, s:o, s:I}", "record", "control", "id", id,
                               "ratio", record_real(r.value), "low", record_real(r.low), "high",
                               record_real(r.high), "processes", (json_int_t)r.processes);
    static const char *const copied[] = {"family", "block", "threads", "residency"};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        json_object_set(record, copied[i], json_object_get(first, copied[i]));
    return record;
}

/* ---- All rows -------------------------------------------------------------------------------- */

static int summary_put_rows(json_t *rows, struct record_sink sink, struct error *e)
{
    int code = 0;
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        bool control = strstr(record_text(row, "id"), CONTROL_SUFFIX) != NULL;
        if (record_number(row, "threads") > 1 && !control) cores_add_efficiency(rows, row);
        json_t *put = control ? control_record(rows, row) : json_incref(row);
        if (!code && put)
            code = sink.put(sink.context, put, e);
        else
            json_decref(put);
    }
    return code;
}

/* A record and its place in the file. */
struct filed {
    const json_t *record;
    size_t place;
};

static int by_name(const json_t *a, const json_t *b)
{
    int c = strcmp(record_text(a, "id"), record_text(b, "id"));
    return c ? c : strcmp(record_text(a, "family"), record_text(b, "family"));
}

static int by_cell(const void *a, const void *b)
{
    const struct filed *x = a, *y = b;
    int c = by_name(x->record, y->record);
    double p = record_number(x->record, "process"), q = record_number(y->record, "process");
    if (c || p != q) return c ? c : (p > q) - (p < q);
    return (x->place > y->place) - (x->place < y->place);
}

/* The "samples" records by cell and process. A block that was cut is measured again as a whole: of
 * two records of one cell and process the later one counts. Returns how many, or SIZE_MAX where
 * memory is short. */
static size_t sort_samples(const json_t *records, const json_t **sorted)
{
    struct filed *filed = calloc(json_array_size(records) + 1, sizeof *filed);
    size_t count = 0, kept = 0, i;
    const json_t *record;
    if (!filed) return SIZE_MAX;
    json_array_foreach(records, i, record)
    {
        if (!strcmp(record_text(record, "record"), "samples"))
            filed[count++] = (struct filed){record, i};
    }
    qsort(filed, count, sizeof *filed, by_cell);
    for (size_t k = 0; k < count; k++) {
        bool replaced = k + 1 < count && !by_name(filed[k].record, filed[k + 1].record) &&
                        record_number(filed[k].record, "process") ==
                            record_number(filed[k + 1].record, "process");
        if (!replaced) sorted[kept++] = filed[k].record;
    }
    free(filed);
    return kept;
}

int bench_summarise(const json_t *records, const json_t *limits, struct record_sink sink,
                    bool *partial, struct error *e)
{
    const json_t **sorted = calloc(json_array_size(records) + 1, sizeof *sorted);
    size_t count = sorted ? sort_samples(records, sorted) : SIZE_MAX;
    *partial = false;
    if (count == SIZE_MAX) {
        free(sorted);
        return fail(e, EXIT_PARTIAL, "bench: out of memory: the summary; choose fewer cells");
    }
    int code = 0;
    json_t *rows = json_array();
    for (size_t first = 0, end; first < count && !code; first = end) {
        for (end = first + 1; end < count && !by_name(sorted[first], sorted[end]);) end++;
        struct group g = {.records = sorted + first, .count = end - first};
        code = add_row(&g, limits, rows, partial, e);
    }
    if (!code && !resolution_add(rows))
        code = fail(e, EXIT_PARTIAL, "bench: out of memory: the summary; choose fewer cells");
    if (!code) code = summary_put_rows(rows, sink, e);
    json_decref(rows);
    free(sorted);
    return code;
}
