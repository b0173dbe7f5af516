// SPDX-License-Identifier: MIT
#include "publish/render/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/record_lines.h"

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

/* Parses JSON text, without control characters: a stranger's records cannot command a terminal. */
static json_t *json_of(const char *text)
{
    char *copy = memory_copy(text);
    record_blank_controls(copy, strlen(copy));
    json_t *value = json_loads(copy, JSON_DECODE_ANY, NULL);
    free(copy);
    return value ? value : json_null();
}

/* Cuts a column's name before what says how it is read, "?:bool", which it returns. */
static const char *name_of(sqlite3_stmt *s, int i, char name[80])
{
    const char *given = sqlite3_column_name(s, i), *end = given + strcspn(given, "?:");
    snprintf(name, 80, "%.*s", (int)(end - given), given);
    return end;
}

static json_t *value_of(sqlite3_stmt *s, int i, const char *kind)
{
    const int type = sqlite3_column_type(s, i);
    const char *text = (const char *)sqlite3_column_text(s, i);
    if (type == SQLITE_NULL) return json_null();
    if (!strcmp(kind, ":bool")) return json_boolean(sqlite3_column_int(s, i));
    if (!strcmp(kind, ":json")) return json_of(text);
    if (!strcmp(kind, ":object")) return json_object();
    if (type == SQLITE_INTEGER) return json_integer(sqlite3_column_int64(s, i));
    return type == SQLITE_FLOAT ? record_real(sqlite3_column_double(s, i)) : json_text(text);
}

static void put_column(json_t *row, sqlite3_stmt *s, int i)
{
    char name[80];
    const char *end = name_of(s, i, name);
    const bool may_lack = *end == '?' && sqlite3_column_type(s, i) == SQLITE_NULL;
    char *dot = strchr(name, '.');
    json_t *object = row;
    if (dot) {
        *dot = '\0';
        if (!json_object_get(row, name)) json_object_set_new(row, name, json_object());
        object = json_object_get(row, name);
    }
    if (!may_lack)
        json_object_set_new(object, dot ? dot + 1 : name, value_of(s, i, end + (*end == '?')));
}

/* The present row, without its first columns. */
static json_t *row_json(sqlite3_stmt *s, int first)
{
    json_t *row = json_object();
    for (int i = first; i < sqlite3_column_count(s); i++) put_column(row, s, i);
    return row;
}

/* Puts all rows behind their first column, or all of them; returns what the last step did. */
static int append_rows(json_t *rows, sqlite3_stmt *s, int first)
{
    int state;
    while ((state = sqlite3_step(s)) == SQLITE_ROW) json_array_append_new(rows, row_json(s, first));
    return state;
}

/* Returns rows, or NULL with an error where the last step failed. */
static json_t *unless_failed(json_t *rows, const struct lab_db *l, int state, struct error *e)
{
    if (state == SQLITE_DONE) return rows;
    json_decref(rows);
    lab_failed(l, e);
    return NULL;
}

json_t *rows_json(const struct lab_db *l, const char *sql, struct error *e)
{
    sqlite3_stmt *s;
    if (lab_prepare(l, sql, &s, e)) return NULL;
    json_t *rows = json_array();
    const int state = append_rows(rows, s, 0);
    sqlite3_finalize(s);
    return unless_failed(rows, l, state, e);
}

json_t *rows_document(const struct lab_db *l, const char *sql, struct error *e)
{
    json_t *document = json_object();
    int state = SQLITE_DONE;
    while (state == SQLITE_DONE && *sql) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) state = SQLITE_ERROR;
        if (!s) break; /* a fault, or comments behind the last */
        json_t *rows = json_array(), *first;
        char name[80];
        snprintf(name, sizeof name, "%s", sqlite3_column_name(s, 0));
        char *brace = strchr(name, '{');
        if (brace) *brace = '\0';
        state = append_rows(rows, s, 1);
        first = json_array_get(rows, 0);
        if (*name)
            json_object_set(document, name, !brace ? rows : first ? first : json_null());
        else
            json_object_update(document, first);
        json_decref(rows);
        sqlite3_finalize(s);
    }
    return unless_failed(document, l, state, e);
}

json_t *rows_of_machine(const struct lab_db *l, const char *sql, struct error *e)
{
    json_t *fields = rows_document(l, sql, e);
    if (!fields) return NULL;
    json_t *document = record_document(json_incref(json_object_get(fields, "machine")));
    json_object_update(document, fields);
    json_decref(fields);
    return document;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Returns a column without numbers as places in a list, if that is shorter. */
static json_t *shortest(json_t *values)
{
    json_t *list = json_array(), *at = json_array(), *places = json_object(), *value;
    size_t i;
    bool numbers = false;
    json_array_foreach(values, i, value)
    {
        numbers |= json_is_number(value);
        if (numbers) break;
        char *dumped =
            json_is_string(value) ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        const char *key = dumped ? dumped : json_string_value(value);
        json_t *place = json_is_null(value) ? value : json_object_get(places, key);
        if (!place) {
            place = json_integer((json_int_t)json_array_size(list));
            json_object_set_new_nocheck(places, key, place);
            json_array_append(list, value);
        }
        json_array_append(at, place);
        free(dumped);
    }
    const size_t count = json_array_size(list);
    if (count && 2 * count < json_array_size(at) && !numbers)
        values = json_pack("{s:O, s:O}", "list", list, "at", at);
    else
        json_incref(values);
    json_decref(list);
    json_decref(at);
    json_decref(places);
    return values;
}

/* Returns what the last step did. */
static int put_columns(json_t *table, sqlite3_stmt *s)
{
    json_t *columns = json_array(), *values;
    size_t i;
    int state;
    for (int k = 1; k < sqlite3_column_count(s); k++) json_array_append_new(columns, json_array());
    while ((state = sqlite3_step(s)) == SQLITE_ROW) json_array_foreach(columns, i, values)
        {
            char name[80];
            const int column = (int)i + 1;
            const char *kind = name_of(s, column, name);
            const bool infinite = isinf(sqlite3_column_double(s, column));
            json_array_append_new(values,
                                  infinite ? json_string("inf") : value_of(s, column, kind));
        }
    json_array_foreach(columns, i, values)
    {
        char name[80];
        name_of(s, (int)i + 1, name);
        json_object_set_new(table, name, shortest(values));
    }
    json_decref(columns);
    return state;
}

int columns_json(const struct lab_db *l, const char *sql, json_t **all, struct error *e)
{
    int state = SQLITE_DONE;
    *all = json_object();
    while (state == SQLITE_DONE && *sql) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) {
            state = SQLITE_ERROR;
            break;
        }
        if (!s) break; /* comments behind the last */
        const char *name = sqlite3_column_name(s, 0);
        if (!json_object_get(*all, name)) json_object_set_new(*all, name, json_object());
        state = put_columns(json_object_get(*all, name), s);
        sqlite3_finalize(s);
    }
    if (state == SQLITE_DONE) return 0;
    json_decref(*all);
    *all = NULL;
    return lab_failed(l, e);
}
