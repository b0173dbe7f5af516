// SPDX-License-Identifier: MIT
#include "publish/site/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "publish/db/columns.h"
#include "publish/render/places.h"

typedef struct number_text shown(double value);

/* A number in as few digits, from `least` on, as are shown as the same text: most of the file. */
static json_t *rounded(double value, int least, shown *show)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string("inf"); /* JSON has no infinity; page.js makes it one */
    const struct number_text text = show(value);
    double near = value;
    for (int count = least; count < 17; count++) {
        near = strtod(number_digits(value, count).text, NULL);
        if (!strcmp(text.text, show(near).text)) break;
    }
    return json_real(near);
}

static struct number_text as_time(double ns)
{
    return number_decimals(ns, 3);
}
static struct number_text as_error(double error)
{
    return number_error(error, NAN);
}
static struct number_text as_percent(double percent)
{
    return number_decimals(percent, 0);
}

json_t *rounded_time(double ns)
{
    return rounded(ns, 4, as_time);
}
json_t *rounded_error(double error)
{
    return rounded(error, 3, as_error);
}
json_t *rounded_percent(double percent)
{
    return rounded(percent, 3, as_percent);
}

void column_put(json_t *table, const char *column, json_t *value)
{
    json_t *values = json_object_get(table, column);
    if (!values) json_object_set_new(table, column, values = json_array());
    json_array_append_new(values, value);
}

/* ---- Of queries ------------------------------------------------------------------------------ */

/* Texts as places where that is shorter. */
static json_t *shortened(json_t *values)
{
    struct places p = places_make();
    json_t *at = json_array(), *value;
    size_t i;
    json_array_foreach(values, i, value) json_array_append_new(
        at, json_is_string(value) ? places_put_text(&p, json_string_value(value)) : json_null());
    json_t *list = places_end(&p);
    if (2 * json_array_size(list) < json_array_size(values)) {
        json_decref(values);
        return json_pack("{s:o, s:o}", "list", list, "at", at);
    }
    json_decref(list);
    json_decref(at);
    return values;
}

static json_t *value_of(sqlite3_stmt *s, int i)
{
    const double value = sqlite3_column_double(s, i);
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_NULL:
        return json_null();
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(s, i));
    case SQLITE_FLOAT:
        return isinf(value) ? json_string("inf")
                            : json_real(strtod(number_digits(value, 5).text, NULL));
    default:
        return json_text(column_text(s, i));
    }
}

static json_t *table_of(sqlite3_stmt *s, char *name, size_t size)
{
    const int count = sqlite3_column_count(s);
    json_t *table = json_object(), *values;
    const char *column;
    void *next;
    for (int i = 1; i < count; i++)
        json_object_set_new(table, sqlite3_column_name(s, i), json_array());
    while (sqlite3_step(s) == SQLITE_ROW) {
        snprintf(name, size, "%s", column_text(s, 0));
        for (int i = 1; i < count; i++)
            column_put(table, sqlite3_column_name(s, i), value_of(s, i));
    }
    json_object_foreach_safe(table, next, column,
                             values) if (json_is_string(json_array_get(values, 0)))
        json_object_set_new(table, column, shortened(json_incref(values)));
    return table;
}

json_t *columns_of_queries(const struct lab_db *l, const char *sql)
{
    json_t *all = json_object();
    sqlite3_stmt *s;
    while (*sql && sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) == SQLITE_OK && s) {
        char name[40] = "";
        json_t *table = table_of(s, name, sizeof name);
        json_object_set_new(all, name, table);
        sqlite3_finalize(s);
    }
    return all;
}
