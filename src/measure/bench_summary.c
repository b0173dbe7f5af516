// SPDX-License-Identifier: MIT
/* The rows of timing records, from the raw samples of all processes (measure/bench.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/bench.h"
#include "measure/modes.h"
#include "measure/stats.h"
#include "model/peer.h"
#include "model/record.h"

/* ---- Samples --------------------------------------------------------------------------------- */

/* All records of one cell under one family, one per process. */
struct group {
    const json_t **records;
    size_t count;
};

/* A cell's samples per process, in ns and in core cycles per row. */
struct samples {
    struct clusters ns;
    double **values;  /* the values to which ns points */
    double *medians;  /* medians of ns, per process that has samples */
    double *cycles;   /* median per row, likewise */
    double *all;      /* every ns sample, ascending */
    double *low;      /* [processes]: the quantile of ns that ratios are formed of
                         (measure/ratio.h); NAN where a process has none */
    size_t processes; /* one more than the largest process number */
    size_t total, moved, migrated;
};

static double *reals_of(const json_t *record, const char *field, double divisor, size_t *count)
{
    json_t *array = json_object_get(record, field);
    size_t n = json_array_size(array);
    double *v = memory_zeroed(n + 1, sizeof *v);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (json_is_number(json_array_get(array, i)))
            v[(*count)++] = json_number_value(json_array_get(array, i)) / divisor;
    return v;
}

static void samples_free(struct samples *s)
{
    for (size_t i = 0; i < s->ns.count; i++) free(s->values[i]);
    free((void *)s->ns.sizes);
    free(s->values);
    free(s->medians);
    free(s->cycles);
    free(s->all);
    free(s->low);
}

/* Adds one process's record; its ns samples stay in the order in which they were taken. */
static void add_process(struct samples *s, size_t *sizes, const json_t *record)
{
    double rows = record_number(record, "rows");
    size_t n, cycle_count;
    double *ns = reals_of(record, "ns", rows, &n);
    double *cycles = reals_of(record, "cycles", rows, &cycle_count);
    if (!n) { /* the cell did not run */
        free(ns);
        free(cycles);
        return;
    }
    s->all = memory_grow(s->all, (s->total + n) * sizeof *s->all);
    memcpy(s->all + s->total, ns, n * sizeof *ns);
    size_t p = s->ns.count++;
    s->values[p] = ns;
    sizes[p] = n;
    s->cycles[p] = stats_median(cycles, cycle_count);
    stats_sort(s->all + s->total, n);
    size_t process = (size_t)record_number(record, "process");
    if (json_object_get(record, "round") && process < s->processes)
        s->low[process] = stats_quantile(s->all + s->total, n, RATIO_QUANTILE);
    s->medians[p] = stats_quantile(s->all + s->total, n, 0.5);
    s->total += n;
    s->moved += (size_t)json_integer_value(json_object_get(record, "moved"));
    s->migrated += (size_t)json_integer_value(json_object_get(record, "migrated"));
    free(cycles);
}

static size_t processes_of(const struct group *g)
{
    size_t most = 0;
    for (size_t i = 0; i < g->count; i++) {
        size_t process = (size_t)record_number(g->records[i], "process");
        if (process >= most && process < RATIO_PROCESSES_MAX) most = process + 1;
    }
    return most;
}

static struct samples samples_of(const struct group *g)
{
    size_t *sizes = memory_zeroed(g->count, sizeof *sizes);
    size_t processes = processes_of(g);
    struct samples s = {.processes = processes,
                        .low = memory_zeroed(processes + 1, sizeof *s.low),
                        .values = memory_zeroed(g->count, sizeof *s.values),
                        .medians = memory_zeroed(g->count, sizeof *s.medians),
                        .cycles = memory_zeroed(g->count, sizeof *s.cycles)};
    s.ns.sizes = sizes;
    for (size_t i = 0; i < processes; i++) s.low[i] = NAN;
    for (size_t i = 0; i < g->count; i++) add_process(&s, sizes, g->records[i]);
    s.ns.samples = (const double *const *)s.values;
    stats_sort(s.all, s.total);
    return s;
}

/* ---- The shortest possible time of a cell ---------------------------------------------------- */

/* The shortest time that the limits of the run allow for the operations of the cell's kernel. */
struct shortest {
    const char *limit; /* NULL: none known */
    double ns_per_row; /* at that limit */
};

static double limit_value(const json_t *limits, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)limits, i, row)
    {
        if (!strcmp(record_text(row, "name"), name)) return record_number(row, "value");
    }
    return NAN;
}

/* Returns the slowest of the kernel's sets of ports; else, where it does not count its
 * instructions, the arithmetic's best time. */
static struct shortest compute_time(const json_t *record, const json_t *limits)
{
    struct shortest best = {NULL, NAN};
    const char *name;
    json_t *per_row;
    json_object_foreach(json_object_get(record, "ports"), name, per_row)
    {
        double ns = 1e9 * json_number_value(per_row) / limit_value(limits, name);
        if (!(ns <= best.ns_per_row) && ns > 0) best = (struct shortest){name, ns};
    }
    const char *flops = record_text(record, "compute_limit");
    const json_t *share = json_object_get(record, "compute_share");
    const double rate = limit_value(limits, flops) * (share ? json_number_value(share) : 1);
    if (!best.limit) best = (struct shortest){flops, 1e9 * record_number(record, "flops") / rate};
    return best;
}

/* Returns whether the operations of a record's build are known: those of its kernel's file, unless
 * the policy lets the compiler drop some. */
static bool operations_are_known(const json_t *record)
{
    return *record_text(record, "compute_limit") != '\0';
}

/* Returns whether its file counts no instructions, so that only bytes limit its time. */
static bool bytes_alone_bound(const json_t *record, const json_t *limits)
{
    return operations_are_known(record) && !(compute_time(record, limits).ns_per_row > 0);
}

/* Returns the slower of the best times of the arithmetic and of the memory; none where operations
 * are not known. */
static struct shortest shortest_of(const json_t *record, const json_t *limits)
{
    const char *memory = record_text(record, "memory_limit");
    if (!operations_are_known(record)) return (struct shortest){NULL, NAN};
    struct shortest compute = compute_time(record, limits);
    double bytes_ns = 1e9 * record_number(record, "bytes") / limit_value(limits, memory);
    if (!(compute.ns_per_row > 0) && !(bytes_ns > 0)) return (struct shortest){NULL, NAN};
    if (compute.ns_per_row >= bytes_ns || !(bytes_ns > 0)) return compute;
    return (struct shortest){memory, bytes_ns};
}

/* Returns the quantity from which the limit's time was computed, per element: instructions of the
 * limit's kinds times lanes, FLOPs, or bytes. */
static double shortest_count(const json_t *record, const struct shortest *best)
{
    if (!best->limit) return NAN;
    json_t *ports = json_object_get(json_object_get(record, "ports"), best->limit);
    double per_row = ports ? json_number_value(ports)
                     : !strcmp(best->limit, record_text(record, "memory_limit"))
                         ? record_number(record, "bytes")
                         : record_number(record, "flops");
    return per_row / record_number(record, "n");
}

/* Returns whether the working set is less than four times the last level, so that a part of it
 * stays in cache. */
static bool is_partly_cached(const json_t *record, const json_t *limits)
{
    double last = 0;
    for (enum level l = 0; l < LEVEL_DRAM; l++) {
        char name[LIMIT_NAME_MAX];
        snprintf(name, sizeof name, "effective-%s", level_name(l));
        last = fmax(last, limit_value(limits, name));
    }
    return !strcmp(record_text(record, "residency"), "DRAM") &&
           record_number(record, "working_set") < 3.99 * last;
}

/* ---- Precision of a row relative to its block ------------------------------------------------ */

struct by_process bench_low_ns(const json_t *row)
{
    const json_t *array = json_object_get(row, "low_ns");
    size_t count = json_array_size(array);
    double *values = memory_zeroed(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return (struct by_process){values, count};
}

static int rows_by_block(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    return strcmp(record_text(*x, "block"), record_text(*y, "block"));
}

/* Adds to each summarised row that has a block and samples `half_width`: the 95% half-width of its
 * time over its block's median time (of its time alone, where it is alone), as a share. */
static void summary_add_half_widths(json_t *rows)
{
    size_t all = json_array_size(rows), count = 0, i;
    json_t **timed = memory_zeroed(all + 1, sizeof *timed), *row;
    struct by_process *low = memory_zeroed(all + 1, sizeof *low);
    double *widths = memory_zeroed(all + 1, sizeof *widths);
    json_array_foreach(rows, i, row)
    {
        if (*record_text(row, "block") && json_is_number(json_object_get(row, "ns_per_row")))
            timed[count++] = row;
    }
    qsort(timed, count, sizeof(json_t *), rows_by_block);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && !rows_by_block(&timed[first], &timed[end]); end++)
            low[end] = bench_low_ns(timed[end]);
        ratio_half_widths(low + first, end - first, widths + first);
    }
    for (i = 0; i < count; i++) {
        json_object_set_new(timed[i], "half_width", record_real(widths[i]));
        free((void *)low[i].values);
    }
    free(timed);
    free(low);
    free(widths);
}

/* ---- Efficiency of cells on all cores -------------------------------------------------------- */

/* Returns how well that row on one thread compares with the team's; 0: not at all. The best has the
 * data of both in one level of memory, with the same rows or one core's share of them; the next
 * best the same rows, which the caches of several cores may hold and those of one may not. */
static int fits_beside(const json_t *one, const json_t *team)
{
    if (record_number(one, "threads") != 1 || record_number(one, "n") != record_number(team, "n") ||
        strcmp(record_text(one, "variant"), record_text(team, "variant")) != 0 ||
        strcmp(record_text(one, "family"), record_text(team, "family")) != 0)
        return 0;
    bool same = record_number(one, "rows") == record_number(team, "rows");
    bool share =
        record_number(one, "rows") * record_number(team, "threads") == record_number(team, "rows");
    bool level = !strcmp(record_text(one, "residency"), record_text(team, "residency"));
    return same && level ? 3 : share && level ? 2 : same;
}

static const json_t *alone_of(const json_t *rows, const json_t *team)
{
    const json_t *found = NULL;
    int best = 0;
    json_t *row;
    size_t i;
    json_array_foreach((json_t *)rows, i, row)
    {
        int fit = fits_beside(row, team);
        if (fit > best) {
            best = fit;
            found = row;
        }
    }
    return found;
}

/* Adds to a row of several threads of one core's rate how much each core of the team has, with its
 * interval and the id of the row it stands beside. */
static void summary_add_efficiency(const json_t *rows, json_t *team)
{
    const json_t *one = alone_of(rows, team);
    static const struct {
        const char *name, *of_one, *of_team;
    } shares[] = {{"efficiency", "ns_per_row", "ns_per_row"},
                  {"efficiency_low", "ci_low", "ci_high"},
                  {"efficiency_high", "ci_high", "ci_low"}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        json_object_set_new(
            team, shares[i].name,
            record_real(record_number(one, shares[i].of_one) /
                        (record_number(team, "threads") * record_number(team, shares[i].of_team))));
    json_object_set_new(team, "efficiency_of",
                        one ? json_string(record_text(one, "id")) : json_null());
}

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

/* Returns the time of an empty call, per row. It is subtracted from the times, but a call may
 * overlap with a kernel that waits for its loads and stores: the limit holds for whole calls. */
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
        {"uncounted", !operations_are_known(record)},
        {"bytes-alone", json_array_size(limits) && bytes_alone_bound(record, limits)},
        {"few-processes", !u->exact},
        {"partly-cached", is_partly_cached(record, limits)},
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

static json_t *samples_count(const struct samples *s, size_t count)
{
    return s->total ? json_integer((json_int_t)count) : json_null();
}

/* Numbers, or nulls where there is no sample. */
static json_t *samples_summarise(struct samples *s, const json_t *record, const json_t *limits)
{
    const double n = record_number(record, "n");
    struct usual u = usual_of(s);
    double ns = s->ns.count ? u.modes.items[u.modes.usual].time : NAN;
    double iqr = stats_quantile(s->all, s->total, 0.75) - stats_quantile(s->all, s->total, 0.25);
    struct shortest best = shortest_of(record, limits);
    const double empty = empty_of(record);
    const bool is_above = u.ci.high + empty < best.ns_per_row;
    json_t *flags = samples_flags(s, record, limits, &u, is_above);
    if (is_above) best = (struct shortest){NULL, NAN}; /* it is no limit */
    const char *source = record_text(record, "cycles_source");
    json_t *figures = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "ns_per_row", record_real(ns), "ci_low", record_real(u.ci.low), "ci_high",
        record_real(u.ci.high), "min", record_real(stats_quantile(s->all, s->total, 0)),
        "ns_per_element", record_real(ns / n), "cycles_per_element", record_real(u.cycles / n),
        "cycles_source", *source ? source : "none", "gb_per_s",
        record_real(record_number(record, "bytes") / ns), "flops_per_s",
        record_real(1e9 * record_number(record, "flops") / ns), "limit", best.limit,
        "percent_of_limit", record_real(100 * best.ns_per_row / (ns + empty)),
        "limit_count_per_element", record_real(shortest_count(record, &best)), "flags", flags,
        "processes", samples_count(s, s->ns.count), "samples", samples_count(s, s->total),
        "outliers", samples_count(s, stats_far_out(s->all, s->total)), "moved",
        samples_count(s, s->moved), "process_medians_ns", array_of(s->medians, s->ns.count),
        "spread", record_real(iqr / ns), "low_ns", array_of(s->low, s->processes));
    if (u.modes.count > 1) json_object_set_new(figures, "modes", modes_record(&u.modes));
    return figures;
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
    s = samples_of(g);
    json_t *row = identity_of(timed, record_text(worst, "status"), record_text(worst, "reason"));
    json_t *figures = samples_summarise(&s, timed, limits);
    json_object_update_new(row, figures);
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
    struct by_process a = bench_low_ns(first), b = bench_low_ns(control);
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
        if (record_number(row, "threads") > 1 && !control) summary_add_efficiency(rows, row);
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
 * two records of one cell and process the later one counts. Returns how many. */
static size_t sort_samples(const json_t *records, const json_t **sorted)
{
    struct filed *filed = memory_zeroed(json_array_size(records) + 1, sizeof *filed);
    size_t count = 0, kept = 0, i;
    const json_t *record;
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
    const json_t **sorted = memory_zeroed(json_array_size(records) + 1, sizeof *sorted);
    size_t count = sort_samples(records, sorted);
    *partial = false;
    int code = 0;
    json_t *rows = json_array();
    for (size_t first = 0, end; first < count && !code; first = end) {
        for (end = first + 1; end < count && !by_name(sorted[first], sorted[end]);) end++;
        struct group g = {.records = sorted + first, .count = end - first};
        code = add_row(&g, limits, rows, partial, e);
    }
    if (!code) {
        summary_add_half_widths(rows);
        code = summary_put_rows(rows, sink, e);
    }
    json_decref(rows);
    free(sorted);
    return code;
}
