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
    if (type == SQLITE_INTEGER) return json_integer(sqlite3_column_int64(s, i));
    return type == SQLITE_FLOAT ? record_real(sqlite3_column_double(s, i)) : json_string(text);
}

json_t *row_json(sqlite3_stmt *s)
{
    json_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        char name[80];
        const char *given = sqlite3_column_name(s, i), *kind = given + strcspn(given, ":");
        snprintf(name, sizeof name, "%.*s", (int)(kind - given), given);
        char *dot = strchr(name, '.');
        json_t *object = row;
        if (dot) {
            *dot = '\0';
            if (!json_object_get(row, name)) json_object_set_new(row, name, json_object());
            object = json_object_get(row, name);
        }
        json_t *value = value_of(s, i, kind);
        json_object_set_new(object, dot ? dot + 1 : name, value ? value : json_null());
    }
    return row;
}

json_t *rows_json(const struct lab_db *l, const char *sql, struct error *e)
{
    sqlite3_stmt *s;
    int state;
    if (lab_prepare(l, sql, &s, e)) return NULL;
    json_t *rows = json_array();
    while ((state = sqlite3_step(s)) == SQLITE_ROW) json_array_append_new(rows, row_json(s));
    sqlite3_finalize(s);
    if (state == SQLITE_DONE) return rows;
    json_decref(rows);
    lab_failed(l, e);
    return NULL;
}
