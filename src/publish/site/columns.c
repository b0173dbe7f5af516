// SPDX-License-Identifier: MIT
#include "publish/site/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "publish/db/columns.h"
#include "publish/render/places.h"

/* ---- Numbers in as few digits as are shown: most of a page's file ---------------------------- */

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
static struct number_text as_five_digits(double value)
{
    return number_digits(value, 5);
}

struct digits {
    const char *name;
    int least;
    struct number_text (*show)(double value);
};
static const struct digits all_digits[] = {{"time_digits", 4, as_time},
                                           {"error_digits", 3, as_error},
                                           {"percent_digits", 3, as_percent},
                                           {"five_digits", 5, as_five_digits}};

/* x in the fewest digits that are shown as the same text; 'inf', for JSON has no infinity. */
static void give_digits(sqlite3_context *c, int count, sqlite3_value **values)
{
    const struct digits *d = sqlite3_user_data(c);
    const double value = sqlite3_value_double(values[0]);
    double near = value;
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    const struct number_text text = d->show(value);
    for (int digits = d->least; !isinf(value) && digits < 17; digits++) {
        near = strtod(number_digits(value, digits).text, NULL);
        if (!strcmp(text.text, d->show(near).text)) break;
    }
    if (isinf(value))
        sqlite3_result_text(c, "inf", -1, SQLITE_STATIC);
    else
        sqlite3_result_double(c, near);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Texts as places in a list, where that is shorter; is_json: JSON as places in a list of it. */
static json_t *shortened(json_t *values, bool is_json)
{
    struct places p = places_make();
    json_t *at = json_array(), *value;
    size_t i;
    json_array_foreach(values, i, value)
    {
        const char *text = json_string_value(value);
        json_array_append_new(at, !text
                                      ? json_null()
                                      : places_put(&p, text,
                                                   is_json ? json_loads(text, JSON_DECODE_ANY, NULL)
                                                           : json_incref(value)));
    }
    json_t *list = places_end(&p);
    const size_t count = json_array_size(list);
    if (is_json || (count && 2 * count < json_array_size(values))) {
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
        return isinf(value) ? json_string("inf") : json_real(value);
    default:
        return json_text(column_text(s, i));
    }
}

/* Puts the columns of a statement, behind the first, into a table. */
static void put_columns(json_t *table, sqlite3_stmt *s)
{
    enum { COLUMNS = 64 };
    json_t *columns[COLUMNS];
    bool texts[COLUMNS];
    const int found = sqlite3_column_count(s), count = found < COLUMNS ? found : COLUMNS;
    for (int i = 1; i < count; i++) columns[i] = json_array(), texts[i] = true;
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 1; i < count; i++) {
            const int type = sqlite3_column_type(s, i);
            texts[i] &= type == SQLITE_TEXT || type == SQLITE_NULL;
            json_array_append_new(columns[i], value_of(s, i));
        }
    for (int i = 1; i < count; i++) {
        const char *given = sqlite3_column_name(s, i);
        const size_t length = strcspn(given, ":");
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)length, given);
        json_object_set_new(table, name,
                            texts[i] ? shortened(columns[i], given[length] == ':') : columns[i]);
    }
}

json_t *columns_of_queries(const struct lab_db *l, const char *sql)
{
    json_t *all = json_object();
    sqlite3_stmt *s;
    for (size_t i = 0; i < sizeof all_digits / sizeof *all_digits; i++)
        sqlite3_create_function(l->db, all_digits[i].name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                (void *)(uintptr_t)&all_digits[i], give_digits, NULL, NULL);
    while (*sql && sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) == SQLITE_OK && s) {
        const char *name = sqlite3_column_name(s, 0);
        if (!json_object_get(all, name)) json_object_set_new(all, name, json_object());
        put_columns(json_object_get(all, name), s);
        sqlite3_finalize(s);
    }
    return all;
}
