// SPDX-License-Identifier: MIT
#include "cases/case_run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/progress.h"
#include "measure/isolate.h"
#include "model/registry.h"
#include "model/record.h"

enum { SILENCE_S = 600, CHUNK = 32 * 1024 };

const struct case_study *case_find(const char *name, struct error *e)
{
    const char *nearest = "";
    size_t best = (size_t)-1;
    for (const struct case_study *const *c = case_studies; *c; c++) {
        if (!strcmp((*c)->name, name)) return *c;
        size_t distance = nearest_distance(name, (*c)->name);
        if (distance < best) best = distance, nearest = (*c)->name;
    }
    fail(e, EXIT_USAGE, "unknown case: %.100s: not one of 'ulplab case list'; near: %s", name,
         nearest);
    return NULL;
}

/* ---- In the child ---------------------------------------------------------------------------- */

struct child {
    const struct case_study *study;
    const struct case_context *context;
    char *text; /* what the child sent: a record as JSON, in pieces */
    size_t size;
};

static void case_run_work(void *context, int channel)
{
    const struct child *child = context;
    struct case_result result;
    case_result_begin(&result);
    child->study->run(child->context, &result);
    json_t *record = case_result_record(&result);
    char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(9));
    size_t size = text ? strlen(text) : 0;
    for (size_t at = 0; at < size; at += CHUNK)
        isolate_send(channel, text + at, size - at < CHUNK ? size - at : CHUNK);
}

/* ---- In the parent --------------------------------------------------------------------------- */

static void case_run_receive(void *context, const void *message, size_t size)
{
    struct child *child = context;
    char *more = realloc(child->text, child->size + size);
    if (!more) return; /* the incomplete record does not parse, and the case counts as killed */
    memcpy(more + child->size, message, size);
    child->text = more;
    child->size += size;
}

static json_t *case_run_record_of(struct child *child, enum status status, double seconds)
{
    const struct case_study *study = child->study;
    json_t *found = child->text ? json_loadb(child->text, child->size, 0, NULL) : NULL;
    if (status == STATUS_OK && !found) status = STATUS_KILLED;
    json_t *record =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "record", "case", "name",
                  study->name, "title", study->title, "status", status_name(status), "reported",
                  study->reported, "mechanism", study->mechanism, "remedy", study->remedy,
                  "verdict", "not-reproduced", "reason", "");
    if (status == STATUS_OK) {
        json_object_update(record, found);
    } else {
        json_t *none = case_result_nothing();
        json_object_update_new(record, none);
        json_object_set_new(record, "reason", json_string("the case's own process ended"));
    }
    json_object_set_new(record, "seconds", json_real(seconds));
    json_decref(found);
    return record;
}

static void case_run_count(struct cases_summary *s, const json_t *record, enum status status)
{
    const char *verdict = json_string_value(json_object_get(record, "verdict"));
    size_t *where = status != STATUS_OK              ? &s->failed
                    : !strcmp(verdict, "skipped")    ? &s->skipped
                    : !strcmp(verdict, "reproduced") ? &s->reproduced
                                                     : &s->not_reproduced;
    ++*where;
}

static int case_run_verdict(const struct cases_summary *s, const char *first, struct error *e)
{
    if (s->failed)
        return fail(e, EXIT_PARTIAL, "case: %s: died (%zu such cases); see their status", first,
                    s->failed);
    if (s->not_reproduced)
        return fail(e, EXIT_GATE, "case: %s: not reproduced (%zu such cases); see their checks",
                    first, s->not_reproduced);
    return 0;
}

int cases_run(const struct cases_plan *plan, struct record_sink sink, struct cases_summary *summary,
              struct error *e)
{
    struct progress progress;
    const char *first_failed = "", *first_other = "";
    int code = 0;
    json_t *done = resume_keys(plan->done, NULL);
    *summary = (struct cases_summary){0};
    progress_begin(&progress, "cases", plan->quiet);
    for (size_t i = 0; i < plan->count && !code; i++) {
        struct child child = {.study = plan->cases[i], .context = &plan->context};
        if (resume_has(done, child.study->name, "", 0)) continue;
        progress_update(&progress, (double)i / (double)plan->count, child.study->name);
        double begin = monotonic_s();
        enum status status = isolate_run(case_run_work, case_run_receive, &child, SILENCE_S);
        if (status == STATUS_INTERRUPTED) {
            code = interrupt_requested();
        } else {
            json_t *record = case_run_record_of(&child, status, monotonic_s() - begin);
            status = status_from_name(json_string_value(json_object_get(record, "status")));
            size_t failed = summary->failed, other = summary->not_reproduced;
            case_run_count(summary, record, status);
            if (!failed && summary->failed) first_failed = child.study->name;
            if (!other && summary->not_reproduced) first_other = child.study->name;
            code = sink.put(sink.context, record, e);
        }
        free(child.text);
    }
    progress_end(&progress);
    json_decref(done);
    return code ? code : case_run_verdict(summary, summary->failed ? first_failed : first_other, e);
}

/* ---- The findings of a case so far ---------------------------------------------------------- */

void case_result_begin(struct case_result *r)
{
    *r = (struct case_result){.checks = json_array(),
                              .rows = json_array(),
                              .tables = json_array(),
                              .curves = json_array()};
}

static const char *case_result_verdict_of(const struct case_result *r)
{
    size_t i;
    const json_t *check;
    if (r->skip[0]) return "skipped";
    json_array_foreach(r->checks, i, check) if (!json_is_true(json_object_get(
                                                    check, "holds"))) return "not-reproduced";
    return json_array_size(r->checks) ? "reproduced" : "not-reproduced";
}

/* {what: value} over the checks. */
static json_t *column_of(const struct case_result *r, const char *key)
{
    json_t *object = json_object(), *check;
    size_t i;
    json_array_foreach(r->checks, i, check) json_object_set(
        object, json_string_value(json_object_get(check, "what")), json_object_get(check, key));
    return object;
}

json_t *case_result_record(struct case_result *r)
{
    json_t *expected = column_of(r, "expected"), *measured = column_of(r, "measured");
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "verdict",
                     case_result_verdict_of(r), "reason", r->skip, "price", r->price, "expected",
                     expected, "measured", measured, "checks", r->checks, "rows", r->rows, "tables",
                     r->tables, "curves", r->curves);
}

json_t *case_result_nothing(void)
{
    struct case_result nothing;
    case_result_begin(&nothing);
    json_t *record = case_result_record(&nothing);
    json_object_del(record, "verdict");
    json_object_del(record, "reason");
    return record;
}

void case_skip(struct case_result *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->skip, sizeof r->skip, format, args);
    va_end(args);
}

void case_price(struct case_result *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->price, sizeof r->price, format, args);
    va_end(args);
}

static void case_add_check(struct case_result *r, const char *expected, json_t *measured,
                           bool holds, const char *what, va_list args)
{
    json_array_append_new(r->checks,
                          json_pack("{s:o, s:s, s:o, s:b}", "what", json_vsprintf(what, args),
                                    "expected", expected, "measured", measured, "holds", holds));
}

void case_check(struct case_result *r, const char *expected, json_t *measured, bool holds,
                const char *what, ...)
{
    va_list args;
    va_start(args, what);
    case_add_check(r, expected, measured, holds, what, args);
    va_end(args);
}

void case_check_number(struct case_result *r, double measured, double low, double high,
                       const char *what, ...)
{
    char expected[80];
    va_list args;
    if (low == high)
        snprintf(expected, sizeof expected, "%.6g", low);
    else if (isinf(high))
        snprintf(expected, sizeof expected, "at least %.6g", low);
    else
        snprintf(expected, sizeof expected, "%.6g to %.6g", low, high);
    va_start(args, what);
    case_add_check(r, expected, isfinite(measured) ? json_real(measured) : record_hex(measured),
                   measured >= low && measured <= high, what, args);
    va_end(args);
}

void case_check_yes(struct case_result *r, bool measured, bool expected, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    case_add_check(r, expected ? "yes" : "no", json_string(measured ? "yes" : "no"),
                   expected == measured, what, args);
    va_end(args);
}

json_t *case_row(struct case_result *r, const struct variant *v, bool broken)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:b}", "isa", v->isa, "cc", v->cc, "policy", v->policy,
                            "broken", broken);
    json_array_append_new(r->rows, row);
    return row;
}

json_t *case_plain_row(struct case_result *r)
{
    json_t *row = json_object();
    json_array_append_new(r->rows, row);
    return row;
}

json_t *case_table_of(struct case_result *r, const char *caption, const char *const *column)
{
    json_t *columns = json_array();
    json_t *table = json_pack("{s:s, s:o, s:[]}", "caption", caption, "columns", columns, "rows");
    for (; *column; column++) {
        size_t key = strcspn(*column, "=");
        json_array_append_new(
            columns, json_pack("{s:s%, s:s}", "key", *column, key, "label", *column + key + 1));
    }
    json_array_append_new(r->tables, table);
    return table;
}

/* Takes the next value of a row from the arguments. */
static json_t *case_next_value(char kind, va_list *args)
{
    switch (kind) {
    case 's':
        return json_string(va_arg(*args, const char *));
    case 'i':
        return json_integer(va_arg(*args, int));
    case 'n':
        return json_integer((json_int_t)va_arg(*args, uint64_t));
    case 'f':
        return record_real(va_arg(*args, double));
    case 'o':
        return va_arg(*args, json_t *);
    default:
        return NULL;
    }
}

json_t *case_line(json_t *table, const char *kinds, ...)
{
    json_t *row = json_object(), *column;
    size_t i;
    va_list args;
    va_start(args, kinds);
    json_array_foreach(json_object_get(table, "columns"), i, column)
    {
        json_t *value = case_next_value(kinds[i], &args);
        if (value) json_object_set_new(row, record_text(column, "key"), value);
    }
    va_end(args);
    json_array_append_new(json_object_get(table, "rows"), row);
    return row;
}

json_t *case_curves(struct case_result *r, const struct case_axes *a)
{
    json_t *curves =
        json_pack("{s:s, s:s, s:s, s:b, s:b, s:[]}", "title", a->title, "x_label", a->x_label,
                  "y_label", a->y_label, "x_log", a->x_log, "y_log", a->y_log, "series");
    json_array_append_new(r->curves, curves);
    return curves;
}

json_t *case_series(json_t *curves, const char *name)
{
    json_t *points = json_array();
    json_array_append_new(json_object_get(curves, "series"),
                          json_pack("{s:s, s:o}", "name", name, "points", points));
    return points;
}

void case_point(json_t *series, double x, double y)
{
    if (isfinite(x) && isfinite(y)) json_array_append_new(series, json_pack("[f, f]", x, y));
}
