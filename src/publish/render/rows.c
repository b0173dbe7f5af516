// SPDX-License-Identifier: MIT
#include "publish/render/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/record_lines.h"

/* Parses JSON text, without control characters: a stranger's records cannot command a terminal. */
static json_t *json_of(const char *text)
{
    char *copy = memory_copy(text);
    record_blank_controls(copy, strlen(copy));
    json_t *value = json_loads(copy, JSON_DECODE_ANY, NULL);
    free(copy);
    return value;
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
    return type == SQLITE_FLOAT ? record_real(sqlite3_column_double(s, i)) : json_string(text);
}

static void put_column(json_t *row, sqlite3_stmt *s, int i)
{
    char name[80];
    const char *given = sqlite3_column_name(s, i), *end = given + strcspn(given, "?:");
    const bool may_lack = *end == '?' && sqlite3_column_type(s, i) == SQLITE_NULL;
    snprintf(name, sizeof name, "%.*s", (int)(end - given), given);
    char *dot = strchr(name, '.');
    json_t *object = row;
    if (dot) {
        *dot = '\0';
        if (!json_object_get(row, name)) json_object_set_new(row, name, json_object());
        object = json_object_get(row, name);
    }
    json_t *value = may_lack ? NULL : value_of(s, i, end + (*end == '?'));
    if (!may_lack) json_object_set_new(object, dot ? dot + 1 : name, value ? value : json_null());
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
