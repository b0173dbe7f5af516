/* The page's data. Tables are columns of equal length; a text that recurs is a place in a list.
 *
 * An error of what lost results is "inf".
 *
 * home: [rows, n], the shape of the times by which variants are compared.
 *
 * units: {operation: the unit of its variants' "error"}.
 *
 * lists: the values of op, isa, cc, policy, family in the order to show them in; algorithm, dtype,
 * limit, vector (what a kernel's instructions are) as they come; shapes: [[rows, n, threads,
 * family, residency]].
 *
 * variants: columns op, algorithm, dtype, isa, cc, policy (places), time (the row of `times` at
 * home, or null), error, mean, worst, family (place of the worst), scaled, bound, lost, specials,
 * fma (null where nothing was measured), hazard, wrong, candidate, front (0 or 1).
 *
 * errors: {of: per variant a place in rows, -1 for none; rows: per family [p50, p99, p99.99, max],
 * null for none}.
 *
 * times: columns variant, shape, ns, low, high, percent, limit, vector.
 *
 * cases: [{name, chart, curves, rows}]; rows: of cases without tables and curves.
 *
 * folds: {tables: [{heads, rows}], cells} (struct doc_folds). */
#include "publish/site/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/site/columns.h"

/* ---- Pieces -----------------------------------------------------------------------------------
 */

/* The known values in their order. */
static struct places places_of(const struct axis_values *known)
{
    struct places places = places_make();
    for (size_t i = 0; known && i < known->count; i++)
        json_decref(places_put_text(&places, known->items[i]));
    return places;
}

/* All lists of the document. */
enum list { OP, ISA, CC, POLICY, FAMILY, ALGORITHM, DTYPE, LIMIT, VECTOR, SHAPE, LISTS };
struct lists {
    struct places of[LISTS];
};

/* ---- Variants ---------------------------------------------------------------------------------
 */

/* How many fused multiply-adds each variant's code has; -1 where no record says. */
static int *count_fma(const struct report *r)
{
    int *fma = memory_new((r->summaries.count + 1) * sizeof *fma);
    const json_t *record;
    size_t i;
    for (i = 0; i < r->summaries.count; i++) fma[i] = -1;
    json_array_foreach(r->results.codegen, i, record)
    {
        struct axes a;
        const json_t *count = json_object_get(record, "fma");
        if (!fma || !json_is_integer(count) || !axes_parse(record_text(record, "id"), &a)) continue;
        const struct summary *v = summaries_find(&r->summaries, &a);
        if (v) fma[v - r->summaries.items] = (int)json_integer_value(count);
    }
    return fma;
}

static void put_axes(json_t *table, struct lists *lists, const struct axes *a)
{
    const struct {
        const char *column, *value;
        enum list list;
    } axes[] = {{"op", a->group, OP},       {"algorithm", a->algorithm, ALGORITHM},
                {"dtype", a->dtype, DTYPE}, {"isa", a->isa, ISA},
                {"cc", a->cc, CC},          {"policy", a->policy, POLICY}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        column_put(table, axes[i].column, places_put_text(&lists->of[axes[i].list], axes[i].value));
}

/* Is the timing a row of `times`? */
static bool is_shown(const struct timing_result *t)
{
    return t->ns_per_element > 0;
}

/* Per timing its row in `times`. */
static size_t *rows_of_times(const struct results *r)
{
    size_t *rows = memory_zeroed(r->timing_count + 1, sizeof *rows), count = 0;
    for (size_t i = 0; i < r->timing_count; i++) {
        rows[i] = count;
        count += is_shown(&r->timings[i]);
    }
    return rows;
}

static json_t *counted(double count)
{
    return isnan(count) ? json_null() : json_integer((json_int_t)count);
}

/* `time`: the row of its time at home, null where it has none. The caller's reference is taken. */
static void put_variant(json_t *table, struct lists *lists, const struct report *r,
                        const struct summary *v, int fma, json_t *time)
{
    const struct {
        const char *column;
        bool is;
    } flags[] = {{"hazard", v->hazard},
                 {"wrong", v->wrong},
                 {"candidate", summary_is_candidate(&r->summaries, v)},
                 {"front", on_front(&r->summaries, v)}};
    const struct {
        const char *column;
        double value;
    } errors[] = {{"error", v->error},
                  {"mean", v->mean_ulp},
                  {"worst", v->worst_ulp},
                  {"scaled", v->worst_scaled},
                  {"bound", v->worst_bound}};
    put_axes(table, lists, &v->axes);
    column_put(table, "time", time);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        column_put(table, errors[i].column, rounded_error(errors[i].value));
    column_put(table, "family",
               *v->worst_family ? places_put_text(&lists->of[FAMILY], v->worst_family)
                                : json_null());
    column_put(table, "lost", counted(v->lost));
    column_put(table, "specials", counted(v->specials_broken));
    column_put(table, "fma", fma < 0 ? json_null() : json_integer(fma));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        column_put(table, flags[i].column, json_integer(flags[i].is));
}

static json_t *variants(const struct report *r, struct lists *lists)
{
    json_t *table = json_object();
    int *fma = count_fma(r);
    size_t *rows = rows_of_times(&r->results);
    for (size_t i = 0; i < r->summaries.count; i++) {
        const struct timing_result *home = r->summaries.items[i].home;
        bool timed = home && is_shown(home);
        put_variant(table, lists, r, &r->summaries.items[i], fma[i],
                    timed ? json_integer((json_int_t)rows[home - r->results.timings])
                          : json_null());
    }
    free(rows);
    free(fma);
    return table;
}

/* ---- Errors by family -------------------------------------------------------------------------
 */

enum { SHARES = 4 };

/* The largest of each over the row lengths of one variant and input family; NAN without records. */
struct family_error {
    double shares[SHARES]; /* p50, p99, p99.99, max */
};

/* [summaries][families]; the caller frees. */
static struct family_error *collect_errors(const struct report *r,
                                           const struct axis_values *families)
{
    static const char *const keys[SHARES] = {"p50_ulp", "p99_ulp", "p9999_ulp", "max_ulp"};
    size_t count = r->summaries.count * families->count;
    struct family_error *errors = memory_new((count + 1) * sizeof *errors);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < SHARES; k++) errors[i].shares[k] = NAN;
    for (size_t i = 0; i < r->results.accuracy_count; i++) {
        const struct accuracy_result *a = &r->results.accuracies[i];
        size_t variant = (size_t)(summaries_find(&r->summaries, &a->axes) - r->summaries.items);
        size_t family = 0;
        while (family < families->count && strcmp(families->items[family], a->family)) family++;
        if (family == families->count) continue; /* more families than a report can show */
        double *shares = errors[variant * families->count + family].shares;
        for (size_t k = 0; k < SHARES; k++) /* fmax leaves NAN out */
            shares[k] = fmax(shares[k], error_figure(a->record, keys[k]));
    }
    return errors;
}

/* A variant's errors on every family; NULL where there are none. */
static json_t *error_row(const struct family_error *errors, size_t families)
{
    json_t *row = json_array();
    bool any = false;
    for (size_t f = 0; f < families; f++) {
        json_t *shares = NULL;
        if (!isnan(errors[f].shares[SHARES - 1])) {
            shares = json_array();
            for (size_t k = 0; k < SHARES; k++)
                json_array_append_new(shares, rounded_error(errors[f].shares[k]));
        }
        any |= shares != NULL;
        json_array_append_new(row, shares ? shares : json_null());
    }
    if (any) return row;
    json_decref(row);
    return NULL;
}

/* Many builds of a kernel have the same bits, and so the same errors. */
static json_t *errors(const struct report *r, const struct axis_values *families)
{
    struct family_error *all = collect_errors(r, families);
    struct places rows = places_make();
    json_t *of = json_array();
    for (size_t i = 0; all && i < r->summaries.count; i++) {
        json_t *row = error_row(&all[i * families->count], families->count);
        char *key = row ? json_dumps(row, JSON_COMPACT) : NULL;
        json_array_append_new(of, key ? places_put(&rows, key, row) : json_integer(-1));
        free(key);
    }
    free(all);
    return json_pack("{s:o, s:o}", "of", of, "rows", places_end(&rows));
}

/* ---- Times ------------------------------------------------------------------------------------
 */

static json_t *shape_place(struct lists *lists, const struct timing_result *t)
{
    char key[200];
    snprintf(key, sizeof key, "%zu %zu %zu %.60s %.60s", t->rows, t->n, t->threads, t->family,
             t->residency);
    return places_put(&lists->of[SHAPE], key,
                      json_pack("[I, I, I, o, o]", (json_int_t)t->rows, (json_int_t)t->n,
                                (json_int_t)t->threads, json_text(t->family),
                                json_text(t->residency)));
}

static json_t *times(const struct report *r, struct lists *lists)
{
    json_t *table = json_object();
    for (size_t i = 0; i < r->results.timing_count; i++) {
        const struct timing_result *t = &r->results.timings[i];
        if (!is_shown(t)) continue;
        const struct summary *v = summaries_find(&r->summaries, &t->axes);
        column_put(table, "variant", json_integer(v - r->summaries.items));
        column_put(table, "shape", shape_place(lists, t));
        column_put(table, "ns", rounded_time(t->ns_per_element));
        column_put(table, "low", rounded_time(t->low));
        column_put(table, "high", rounded_time(t->high));
        column_put(table, "percent", rounded_percent(t->percent_of_limit));
        column_put(table, "limit", places_put_text(&lists->of[LIMIT], t->limit));
        column_put(table, "vector",
                   places_put_text(&lists->of[VECTOR], field_instructions_of(t).text));
    }
    return table;
}

/* ---- The document ------------------------------------------------------------------------------
 */

static json_t *cases(const struct report *r)
{
    static const char *const keys[] = {"name", "chart", "curves", "rows"};
    json_t *array = json_array();
    size_t i;
    const json_t *record;
    json_array_foreach(r->cases, i, record)
    {
        json_t *one = json_object();
        bool drawn = json_array_size(json_object_get(record, "curves")) ||
                     json_array_size(json_object_get(record, "tables"));
        for (size_t k = 0; k < sizeof keys / sizeof *keys - drawn; k++)
            json_object_set(one, keys[k], json_object_get(record, keys[k]));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *units(const struct report *r)
{
    json_t *object = json_object();
    for (size_t i = 0; i < r->present.ops.count; i++)
        json_object_set_new(object, r->present.ops.items[i],
                            json_text(error_unit(&r->results, r->present.ops.items[i])));
    return object;
}

json_t *page_data(const struct report *r, struct doc_folds *folds)
{
    static const char *const names[LISTS] = {"op",        "isa",   "cc",    "policy", "family",
                                             "algorithm", "dtype", "limit", "vector", "shapes"};
    struct axis_values families;
    families_collect(&r->results, &families);
    const struct axis_values *known[LISTS] = {&r->present.ops, &r->present.isas, &r->present.ccs,
                                              &r->present.policies, &families};
    struct lists lists;
    for (size_t i = 0; i < LISTS; i++) lists.of[i] = places_of(known[i]);
    json_t *data = json_pack("{s:[I, I]}", "home", (json_int_t)r->summaries.home_rows,
                             (json_int_t)r->summaries.home_n);
    json_object_set_new(data, "units", units(r));
    json_object_set_new(data, "variants", variants(r, &lists));
    json_object_set_new(data, "errors", errors(r, &families));
    json_object_set_new(data, "times", times(r, &lists));
    json_object_set_new(data, "cases", cases(r));
    json_object_set_new(
        data, "folds",
        json_pack("{s:o, s:o}", "tables", folds->tables, "cells", places_end(&folds->cells)));
    json_t *all = json_object();
    for (size_t i = 0; i < LISTS; i++) json_object_set_new(all, names[i], places_end(&lists.of[i]));
    json_object_set_new(data, "lists", all);
    return data;
}
