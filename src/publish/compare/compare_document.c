// SPDX-License-Identifier: MIT
/* A comparison as a JSON document. */
#include <string.h>

#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/db/columns.h"
#include "publish/sql/sql.h"

/* A value by its column: "x?" is true or false, "x[]" JSON, which is left out where it is NULL,
 * "x{}" an object, to be filled by "x.y", or null. */
static void put_value(json_t *object, const char *name, size_t length, sqlite3_stmt *s, int i)
{
    const bool null = sqlite3_column_type(s, i) == SQLITE_NULL;
    const bool list = name[length - 1] == ']', is = name[length - 1] == '?';
    const bool object_itself = name[length - 1] == '}';
    char key[60];
    json_t *value = json_null();
    snprintf(key, sizeof key, "%.*s",
             (int)(length - (list || object_itself ? 2
                             : is                  ? 1
                                                   : 0)),
             name);
    if (list && null) return;
    if (object_itself && !null)
        value = json_object();
    else if (list)
        value = json_loads(column_text(s, i), 0, NULL);
    else if (is && !null)
        value = json_boolean(sqlite3_column_int(s, i));
    else if (sqlite3_column_type(s, i) == SQLITE_INTEGER)
        value = json_integer(sqlite3_column_int64(s, i));
    else if (sqlite3_column_type(s, i) == SQLITE_FLOAT)
        value = record_real(sqlite3_column_double(s, i));
    else if (!null)
        value = json_string(column_text(s, i));
    json_object_set_new(object, key, value);
}

static json_t *row_of(sqlite3_stmt *s)
{
    json_t *row = json_object();
    for (int i = 1; i < sqlite3_column_count(s); i++) {
        const char *name = sqlite3_column_name(s, i), *dot = strchr(name, '.');
        const char *key = dot ? dot + 1 : name;
        char outer[40];
        snprintf(outer, sizeof outer, "%.*s", dot ? (int)(dot - name) : 0, name);
        json_t *object = dot ? json_object_get(row, outer) : row;
        if (json_is_object(object)) put_value(object, key, strlen(key), s, i);
    }
    return row;
}

/* {list: its rows as objects}, of compare_document.sql. */
static json_t *lists_of(const struct comparison *c)
{
    json_t *lists = json_object();
    const char *sql = sql_compare_document;
    for (sqlite3_stmt *s; sqlite3_prepare_v2(c->l.db, sql, -1, &s, &sql) == SQLITE_OK && s;
         sqlite3_finalize(s)) {
        json_t *list = json_array();
        while (sqlite3_step(s) == SQLITE_ROW) json_array_append_new(list, row_of(s));
        json_object_set_new(lists, sqlite3_column_name(s, 0), list);
    }
    return lists;
}

json_t *compare_document(const struct comparison *c)
{
    static const char *const kinds[] = {"runs", "axis", "cpu", "commit"};
    json_t *lists = lists_of(c);
    json_t *machine =
        json_object_get(json_array_get(json_object_get(lists, "machine"), 0), "machine");
    json_t *document = record_document(json_incref(machine));
    json_t *rest = json_pack(
        "{s:s, s:s?, s:O, s:f, s:s, s:b, s:[I,I], s:O, s:I, s:O, s:O, s:O, s:O, s:O}", "comparison",
        kinds[c->kind], "axis", c->axis, "sides", json_object_get(lists, "sides"), "margin",
        c->margin, "unit", "ns_per_element; ratio is time of b over time of a", "grids_differ",
        c->grids_differ, "alone",
        (json_int_t)lab_number(
            &c->l, "SELECT coalesce(sum(cells), 0) FROM temp.compare_beyond WHERE side = 0"),
        (json_int_t)lab_number(
            &c->l, "SELECT coalesce(sum(cells), 0) FROM temp.compare_beyond WHERE side > 0"),
        "beyond", json_object_get(lists, "beyond"), "other_code", (json_int_t)c->changed, "rows",
        json_object_get(lists, "rows"), "geomean", json_object_get(lists, "geomean"), "accuracy",
        json_object_get(lists, "accuracy"), "classes", json_object_get(lists, "classes"),
        "identical_code", json_array_get(json_object_get(lists, "identical_code"), 0));
    json_decref(lists);
    json_object_update(document, rest);
    json_decref(rest);
    return document;
}
