// SPDX-License-Identifier: MIT
/* The pages' data. Tables are columns of equal length; a text that recurs is a place in a list.
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

#include "publish/db/columns.h"
#include "publish/site/columns.h"

extern const char report_page_sql[], vector_page_sql[];

/* ---- Tables of queries ----------------------------------------------------------------------- */

/* All lists of a document, by name. */
enum { LISTS_MAX = 16 };
struct lists {
    struct {
        char name[24];
        struct places places;
    } items[LISTS_MAX];
    size_t count;
};

static struct places *list_of(struct lists *l, const char *name)
{
    size_t i = 0;
    while (i < l->count && strcmp(l->items[i].name, name) != 0) i++;
    if (i == LISTS_MAX) abort(); /* the queries name fewer */
    if (i == l->count) {
        snprintf(l->items[i].name, sizeof l->items[i].name, "%s", name);
        l->items[l->count++].places = places_make();
    }
    return &l->items[i].places;
}

static json_t *figure_of(sqlite3_stmt *s, int i, const char *kind)
{
    const double value = column_real(s, i);
    if (!strcmp(kind, ":time")) return rounded_time(value);
    if (!strcmp(kind, ":error")) return rounded_error(value);
    if (!strcmp(kind, ":percent")) return rounded_percent(value);
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_NULL:
        return json_null();
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(s, i));
    case SQLITE_FLOAT:
        return isinf(value) ? json_string("inf") : json_real(value);
    default:
        return json_text(column_text(s, i));
    }
}

/* Puts what stands in column i of a row under its name: NAME, NAME:KIND, NAME@LIST, NAME@LIST:json.
 */
static void put_value(json_t *table, struct lists *lists, sqlite3_stmt *s, int i)
{
    char name[24], list[24] = "";
    const char *given = sqlite3_column_name(s, i), *at = strchr(given, '@');
    const char *kind = given + strcspn(given, ":"), *text = column_text(s, i);
    const size_t length = at ? (size_t)(at - given) : (size_t)(kind - given);
    snprintf(name, sizeof name, "%.*s", (int)length, given);
    if (at) snprintf(list, sizeof list, "%.*s", (int)(kind - at - 1), at + 1);
    if (!at)
        column_put(table, name, figure_of(s, i, kind));
    else if (sqlite3_column_type(s, i) == SQLITE_NULL)
        column_put(table, name, strcmp(list, "rows") ? json_null() : json_integer(-1));
    else if (*kind)
        column_put(table, name, places_put(list_of(lists, list), text, json_loads(text, 0, NULL)));
    else
        column_put(table, name, places_put_text(list_of(lists, list), text));
}

static json_t *query_data(const struct lab_db *l, const char *sql, struct lists *lists)
{
    json_t *data = json_object();
    sqlite3_stmt *s;
    while (*sql && sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) == SQLITE_OK && s) {
        while (sqlite3_step(s) == SQLITE_ROW) {
            const char *first = column_text(s, 0);
            if (!strcmp(sqlite3_column_name(s, 0), "list")) {
                json_decref(places_put_text(list_of(lists, first), column_text(s, 1)));
                continue;
            }
            if (!json_object_get(data, first)) json_object_set_new(data, first, json_object());
            for (int i = 1; i < sqlite3_column_count(s); i++)
                put_value(json_object_get(data, first), lists, s, i);
        }
        sqlite3_finalize(s);
    }
    return data;
}

static void end_lists(json_t *data, struct lists *lists)
{
    json_t *all = json_object();
    for (size_t i = 0; i < lists->count; i++)
        json_object_set_new(all, lists->items[i].name, places_end(&lists->items[i].places));
    json_object_set_new(data, "lists", all);
}

/* ---- report.html ----------------------------------------------------------------------------- */

static json_t *cases(const struct lab_db *l)
{
    static const char *const keys[] = {"name", "chart", "curves", "rows"};
    json_t *array = json_array();
    struct error e;
    sqlite3_stmt *s;
    if (lab_prepare(l, "SELECT record FROM cases ORDER BY id", &s, &e)) return array;
    while (sqlite3_step(s) == SQLITE_ROW) {
        json_t *one = json_object(), *record = json_loads(column_text(s, 0), 0, NULL);
        bool drawn = json_array_size(json_object_get(record, "curves")) ||
                     json_array_size(json_object_get(record, "tables"));
        for (size_t k = 0; k < sizeof keys / sizeof *keys - drawn; k++)
            json_object_set(one, keys[k], json_object_get(record, keys[k]));
        json_array_append_new(array, one);
        json_decref(record);
    }
    sqlite3_finalize(s);
    return array;
}

static json_t *units(const struct lab_db *l)
{
    json_t *object = json_object();
    struct error e;
    sqlite3_stmt *s;
    if (lab_prepare(l, "SELECT grp, unit FROM groups ORDER BY place", &s, &e)) return object;
    while (sqlite3_step(s) == SQLITE_ROW)
        json_object_set_new(object, column_text(s, 0), json_text(column_text(s, 1)));
    sqlite3_finalize(s);
    return object;
}

/* in_digits(x): an error as JSON, in the digits that are shown. */
static void in_digits(sqlite3_context *c, int count, sqlite3_value **values)
{
    const bool none = sqlite3_value_type(values[0]) == SQLITE_NULL;
    json_t *value = rounded_error(none ? (double)NAN : sqlite3_value_double(values[0]));
    (void)count;
    sqlite3_result_text(c, json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)), -1, free);
    json_decref(value);
}

json_t *page_data(const struct report *r, struct doc_folds *folds)
{
    static const char *const known[] = {"op",        "isa",   "cc",    "policy", "family",
                                        "algorithm", "dtype", "limit", "vector", "shapes"};
    const struct lab_db *l = &r->db;
    struct lists lists = {.count = 0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) list_of(&lists, known[i]);
    sqlite3_create_function(l->db, "in_digits", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                            in_digits, NULL, NULL);
    json_t *data = query_data(l, report_page_sql, &lists),
           *errors = json_object_get(data, "errors");
    const int64_t rows = lab_number(l, "SELECT \"rows\" FROM home");
    const int64_t n = lab_number(l, "SELECT n FROM home");
    json_object_set_new(
        data, "home",
        json_pack("[I, I]", (json_int_t)(rows < 0 ? 0 : rows), (json_int_t)(n < 0 ? 0 : n)));
    json_object_set_new(data, "units", units(l));
    json_object_set_new(data, "cases", cases(l));
    json_object_set_new(
        data, "folds",
        json_pack("{s:o, s:o}", "tables", folds->tables, "cells", places_end(&folds->cells)));
    end_lists(data, &lists);
    json_t *all = json_object_get(data, "lists"), *of_rows = json_object_get(all, "rows");
    if (!errors) json_object_set_new(data, "errors", errors = json_pack("{s:[]}", "of"));
    json_object_set_new(errors, "rows", of_rows ? json_incref(of_rows) : json_array());
    json_object_del(all, "rows");
    for (size_t i = 0; i < 2; i++) /* a table of nothing is there */
        if (!json_object_get(data, i ? "times" : "variants"))
            json_object_set_new(data, i ? "times" : "variants", json_object());
    return data;
}

json_t *vector_data(const struct report *r)
{
    struct lists lists = {.count = 0};
    json_t *data = query_data(&r->db, vector_page_sql, &lists);
    json_object_set_new(data, "bar", json_real(r->bar));
    end_lists(data, &lists);
    return data;
}
