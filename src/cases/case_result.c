// SPDX-License-Identifier: MIT
#include "cases/case_result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void case_check(struct case_result *r, const char *what, const char *expected, json_t *measured,
                bool holds)
{
    json_array_append_new(r->checks, json_pack("{s:s, s:s, s:o, s:b}", "what", what, "expected",
                                               expected, "measured", measured, "holds", holds));
}

void case_check_number(struct case_result *r, const char *what, double measured, double low,
                       double high)
{
    char expected[80];
    if (low == high)
        snprintf(expected, sizeof expected, "%.6g", low);
    else if (isinf(high))
        snprintf(expected, sizeof expected, "at least %.6g", low);
    else
        snprintf(expected, sizeof expected, "%.6g to %.6g", low, high);
    case_check(r, what, expected, isfinite(measured) ? json_real(measured) : record_hex(measured),
               measured >= low && measured <= high);
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

json_t *case_table(struct case_result *r, const char *caption, const char *const *columns,
                   size_t count)
{
    json_t *list = json_array(), *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        size_t key = strcspn(columns[i], "=");
        json_array_append_new(list, json_pack("{s:s%, s:s}", "key", columns[i], key, "label",
                                              columns[i] + key + (columns[i][key] == '=')));
    }
    json_array_append_new(
        r->tables, json_pack("{s:s, s:o, s:o}", "caption", caption, "columns", list, "rows", rows));
    return rows;
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
