#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/bench.h"
#include "measure/stats.h"
#include "model/record.h"

/* ---- Reading raw records --------------------------------------------------------------------- */

/* All records of one cell under one family. */
struct group {
    const json_t **records;
    size_t count;
};

/* Its samples per process, in ns and in core cycles per row. */
struct samples {
    struct clusters ns;
    double **values; /* what ns points to */
    double *medians; /* of ns, per process */
    double *cycles;  /* median per row, per process */
    double *all;     /* every ns sample, ascending */
    size_t total, moved, migrated;
};

static double *reals_of(const json_t *record, const char *field, double divisor, size_t *count)
{
    json_t *array = json_object_get(record, field);
    size_t n = json_array_size(array);
    double *v = calloc(n + 1, sizeof *v);
    *count = 0;
    for (size_t i = 0; v && i < n; i++)
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
}

/* One process's record; its ns samples stay in the order in which they were taken. */
static bool add_process(struct samples *s, size_t *sizes, const json_t *record)
{
    double rows = record_number(record, "rows");
    size_t n, cycle_count;
    double *ns = reals_of(record, "ns", rows, &n);
    double *cycles = reals_of(record, "cycles", rows, &cycle_count);
    double *all = realloc(s->all, (s->total + n + 1) * sizeof *all);
    if (all) s->all = all;
    if (!ns || !cycles || !all || !n) {
        free(ns);
        free(cycles);
        return ns && cycles && all; /* no sample is no error: the cell did not run */
    }
    memcpy(s->all + s->total, ns, n * sizeof *ns);
    size_t p = s->ns.count++;
    s->values[p] = ns;
    sizes[p] = n;
    s->cycles[p] = stats_median(cycles, cycle_count);
    stats_sort(s->all + s->total, n);
    s->medians[p] = stats_quantile(s->all + s->total, n, 0.5);
    s->total += n;
    s->moved += (size_t)json_integer_value(json_object_get(record, "moved"));
    s->migrated += (size_t)json_integer_value(json_object_get(record, "migrated"));
    free(cycles);
    return true;
}

static bool samples_of(const struct group *g, struct samples *s)
{
    size_t *sizes = calloc(g->count, sizeof *sizes);
    *s = (struct samples){.values = calloc(g->count, sizeof *s->values),
                          .medians = calloc(g->count, sizeof *s->medians),
                          .cycles = calloc(g->count, sizeof *s->cycles)};
    s->ns.sizes = sizes;
    bool ok = sizes && s->values && s->medians && s->cycles;
    for (size_t i = 0; i < g->count && ok; i++) ok = add_process(s, sizes, g->records[i]);
    s->ns.samples = (const double *const *)s->values;
    stats_sort(s->all, s->total);
    return ok;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

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

struct bounded {
    const char *limit; /* NULL: none known */
    double ns_per_row; /* at that limit */
};

/* The slowest of the kernel's sets of ports; else, where it does not count its instructions, the
 * arithmetic's best time. */
static struct bounded compute_time(const json_t *record, const json_t *limits)
{
    struct bounded best = {NULL, NAN};
    const char *name;
    json_t *per_row;
    json_object_foreach(json_object_get(record, "ports"), name, per_row)
    {
        double ns = 1e9 * json_number_value(per_row) / limit_value(limits, name);
        if (!(ns <= best.ns_per_row) && ns > 0) best = (struct bounded){name, ns};
    }
    const char *flops = record_text(record, "compute_limit");
    if (!best.limit)
        best = (struct bounded){flops,
                                1e9 * record_number(record, "flops") / limit_value(limits, flops)};
    return best;
}

/* The slower of the arithmetic's and the memory's best time. */
static struct bounded best_time(const json_t *record, const json_t *limits)
{
    const char *memory = record_text(record, "memory_limit");
    struct bounded compute = compute_time(record, limits);
    double bytes_ns = 1e9 * record_number(record, "bytes") / limit_value(limits, memory);
    if (!(compute.ns_per_row > 0) && !(bytes_ns > 0)) return (struct bounded){NULL, NAN};
    if (!(bytes_ns > compute.ns_per_row)) return compute;
    return (struct bounded){memory, bytes_ns};
}

/* What the limit's time was counted from, per element: instructions of the limit's kinds times
 * lanes, FLOPs, or bytes. */
static double limit_count(const json_t *record, const struct bounded *best)
{
    if (!best->limit) return NAN;
    json_t *ports = json_object_get(json_object_get(record, "ports"), best->limit);
    double per_row = ports ? json_number_value(ports)
                     : !strcmp(best->limit, record_text(record, "memory_limit"))
                         ? record_number(record, "bytes")
                         : record_number(record, "flops");
    return per_row / record_number(record, "n");
}

/* Less than four times the last level: part of it stays in cache. */
static bool partly_cached(const json_t *record, const json_t *limits)
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

/* ---- A row ----------------------------------------------------------------------------------- */

static json_t *flags_of(const struct samples *s, const json_t *record, const json_t *limits,
                        struct interval ci, bool exact, double best_ns)
{
    const double often = 0.1 * (double)s->total;
    const struct {
        const char *name;
        bool raised;
    } flags[] = {
        {"estimated-clock-moved", (double)s->moved > often},
        {"migrated", s->migrated > 0},
        {"outliers", (double)stats_far_out(s->all, s->total) > often},
        {"above-limit", ci.high < best_ns},
        {"few-processes", !exact},
        {"partly-cached", partly_cached(record, limits)},
    };
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].raised) json_array_append_new(names, json_string(flags[i].name));
    return names;
}

static json_t *array_of(const double *v, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(array, record_real(v[i]));
    return array;
}

/* What the row says of the cell, timed or not. */
static json_t *identity_of(const json_t *record, const char *status, const char *reason)
{
    json_t *row = json_pack("{s:s}", "record", "timing");
    static const char *const copied[] = {"id",      "variant",   "family",      "rows", "n",
                                         "threads", "residency", "working_set", "team", "ways"};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        json_t *value = json_object_get(record, copied[i]);
        json_object_set_new(row, copied[i], value ? json_incref(value) : json_null());
    }
    static const char *const optional[] = {"shapes", "instructions", "log"};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        json_t *value = json_object_get(record, optional[i]);
        if (value) json_object_set(row, optional[i], value);
    }
    json_object_set_new(row, "status", json_string(status));
    json_object_set_new(row, "reason", json_string(reason));
    return row;
}

/* Numbers, or nulls where there is no sample. */
static json_t *figures_of(struct samples *s, const json_t *record, const json_t *limits)
{
    const double n = record_number(record, "n");
    bool exact = false;
    struct interval ci = stats_median_interval(&s->ns, &exact);
    json_t *per_process = array_of(s->medians, s->ns.count);
    double ns = stats_median(s->medians, s->ns.count);
    double cycles = stats_median(s->cycles, s->ns.count);
    double iqr = stats_quantile(s->all, s->total, 0.75) - stats_quantile(s->all, s->total, 0.25);
    struct bounded best = best_time(record, limits);
    const char *source = record_text(record, "cycles_source");
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s?, s:o, s:o, s:o, s:I, s:I, s:I, s:I, "
        "s:o, s:o}",
        "ns_per_row", record_real(ns), "ci_low", record_real(ci.low), "ci_high",
        record_real(ci.high), "min", record_real(stats_quantile(s->all, s->total, 0)),
        "ns_per_element", record_real(ns / n), "cycles_per_element", record_real(cycles / n),
        "cycles_source", *source ? source : "none", "gb_per_s",
        record_real(record_number(record, "bytes") / ns), "flops_per_s",
        record_real(1e9 * record_number(record, "flops") / ns), "limit", best.limit,
        "percent_of_limit", record_real(100 * best.ns_per_row / ns), "limit_count_per_element",
        record_real(limit_count(record, &best)), "flags",
        flags_of(s, record, limits, ci, exact && s->total, best.ns_per_row), "processes",
        (json_int_t)s->ns.count, "samples", (json_int_t)s->total, "outliers",
        (json_int_t)stats_far_out(s->all, s->total), "moved", (json_int_t)s->moved,
        "process_medians_ns", per_process, "spread", record_real(iqr / ns));
}

/* The first record that is not ok decides; a cell that crashed in any process has crashed. */
static const json_t *worst_of(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(record_text(g->records[i], "status"), "ok") != 0) return g->records[i];
    return g->records[0];
}

/* A record that has samples, where there is one: it names the clock. */
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
    json_t *figures = figures_of(&s, timed, limits);
    if (!s.total) json_array_clear(json_object_get(figures, "flags"));
    json_object_update(row, figures);
    json_decref(figures);
    samples_free(&s);
    *partial = *partial || status_is_partial(status);
    json_array_append_new(rows, row);
    return 0;
}

/* ---- All cores beside one ---------------------------------------------------------------------
 */

/* How well that row on one thread stands beside the team's; 0: not at all. Best where both live in
 * one level of memory, with the same rows or one core's share of them; else with the same rows,
 * which the caches of several cores may hold and those of one may not. */
static int fits_beside(const json_t *one, const json_t *team)
{
    if (record_number(one, "threads") != 1 || record_number(one, "n") != record_number(team, "n") ||
        strcmp(record_text(one, "variant"), record_text(team, "variant")) != 0 ||
        json_is_true(json_object_get(one, "log")) != json_is_true(json_object_get(team, "log")) ||
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

/* Of one core's rate, how much each core of the team has. */
static void add_efficiency(const json_t *rows, json_t *team)
{
    const json_t *one = alone_of(rows, team);
    double threads = record_number(team, "threads");
    json_object_set_new(team, "efficiency",
                        record_real(record_number(one, "ns_per_row") /
                                    (threads * record_number(team, "ns_per_row"))));
    json_object_set_new(
        team, "efficiency_low",
        record_real(record_number(one, "ci_low") / (threads * record_number(team, "ci_high"))));
    json_object_set_new(
        team, "efficiency_high",
        record_real(record_number(one, "ci_high") / (threads * record_number(team, "ci_low"))));
    json_object_set_new(team, "efficiency_of",
                        one ? json_string(record_text(one, "id")) : json_null());
}

static int put_rows(json_t *rows, struct record_sink sink, struct error *e)
{
    int code = 0;
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (record_number(row, "threads") > 1) add_efficiency(rows, row);
        if (!code) code = sink.put(sink.context, json_incref(row), e);
    }
    return code;
}

/* ---- All rows -------------------------------------------------------------------------------- */

static int by_cell(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    int c = strcmp(record_text(*x, "id"), record_text(*y, "id"));
    if (!c) c = strcmp(record_text(*x, "family"), record_text(*y, "family"));
    if (c) return c;
    double p = record_number(*x, "process"), q = record_number(*y, "process");
    return (p > q) - (p < q);
}

static bool same_cell(const json_t *a, const json_t *b)
{
    return !strcmp(record_text(a, "id"), record_text(b, "id")) &&
           !strcmp(record_text(a, "family"), record_text(b, "family"));
}

int bench_summarise(const json_t *records, const json_t *limits, struct record_sink sink,
                    bool *partial, struct error *e)
{
    const json_t **of_cells = calloc(json_array_size(records) + 1, sizeof *of_cells);
    size_t count = 0, i;
    json_t *record;
    *partial = false;
    if (!of_cells)
        return fail(e, EXIT_PARTIAL, "bench: out of memory: the summary; choose fewer cells");
    json_array_foreach((json_t *)records, i, record)
    {
        if (!strcmp(record_text(record, "record"), "samples")) of_cells[count++] = record;
    }
    qsort(of_cells, count, sizeof *of_cells, by_cell);
    int code = 0;
    json_t *rows = json_array();
    for (size_t first = 0, end; first < count && !code; first = end) {
        for (end = first + 1; end < count && same_cell(of_cells[first], of_cells[end]);) end++;
        struct group g = {.records = of_cells + first, .count = end - first};
        code = add_row(&g, limits, rows, partial, e);
    }
    if (!code) code = put_rows(rows, sink, e);
    json_decref(rows);
    free(of_cells);
    return code;
}
