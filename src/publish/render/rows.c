// SPDX-License-Identifier: MIT
#include "publish/render/rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/record_scan.h"

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

char *json_words(const char *const *words, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_text(words[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
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

/* Cuts a column's name before its type, such as "?:bool", and returns the type. */
static const char *rows_name_of(sqlite3_stmt *s, int i, char name[80])
{
    const char *given = sqlite3_column_name(s, i), *end = given + strcspn(given, "?:");
    snprintf(name, 80, "%.*s", (int)(end - given), given);
    return end;
}

static json_t *rows_value_of(sqlite3_stmt *s, int i, const char *kind)
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
    const char *end = rows_name_of(s, i, name);
    const bool may_lack = *end == '?' && sqlite3_column_type(s, i) == SQLITE_NULL;
    char *dot = strchr(name, '.');
    json_t *object = row;
    if (dot) {
        *dot = '\0';
        if (!json_object_get(row, name)) json_object_set_new(row, name, json_object());
        object = json_object_get(row, name);
    }
    if (!may_lack)
        json_object_set_new(object, dot ? dot + 1 : name, rows_value_of(s, i, end + (*end == '?')));
}

/* Puts the rows of each statement into a document by `put`, which returns the code of its last
 * step. */
static int put_statements(const struct lab_db *l, const char *sql, json_t *document,
                          int (*put)(json_t *document, sqlite3_stmt *s), struct error *e)
{
    int state = SQLITE_DONE;
    while (state == SQLITE_DONE) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) break;
        if (!s) return 0;
        state = put(document, s);
        sqlite3_finalize(s);
    }
    return lab_failed(l, e);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int rows_put_rows(json_t *document, sqlite3_stmt *s)
{
    json_t *rows = json_array(), *first;
    char name[80];
    int state;
    snprintf(name, sizeof name, "%s", sqlite3_column_name(s, 0));
    char *brace = strchr(name, '{');
    if (brace) *brace = '\0';
    while ((state = sqlite3_step(s)) == SQLITE_ROW) {
        json_t *row = json_object();
        for (int i = 1; i < sqlite3_column_count(s); i++) put_column(row, s, i);
        json_array_append_new(rows, row);
    }
    first = json_array_get(rows, 0);
    if (*name && !brace && json_object_get(document, name))
        json_array_extend(json_object_get(document, name), rows);
    else if (*name)
        json_object_set(document, name, !brace ? rows : first ? first : json_null());
    else
        json_object_update(document, first);
    json_decref(rows);
    return state;
}

json_t *rows_document(const struct lab_db *l, const char *sql, struct error *e)
{
    json_t *fields = json_object(), *document = NULL;
    if (!put_statements(l, sql, fields, rows_put_rows, e)) {
        json_t *machine = json_object_get(fields, "machine");
        document = json_is_object(machine) ? record_document(json_incref(machine)) : json_object();
        json_object_update(document, fields);
    }
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

static int rows_put_columns(json_t *all, sqlite3_stmt *s)
{
    json_t *columns = json_array(), *values;
    char name[80];
    size_t i;
    int state;
    for (int k = 1; k < sqlite3_column_count(s); k++) json_array_append_new(columns, json_array());
    while ((state = sqlite3_step(s)) == SQLITE_ROW) json_array_foreach(columns, i, values)
        {
            const int column = (int)i + 1;
            const char *kind = rows_name_of(s, column, name);
            const bool infinite = isinf(sqlite3_column_double(s, column));
            json_array_append_new(values,
                                  infinite ? json_string("inf") : rows_value_of(s, column, kind));
        }
    const char *of = sqlite3_column_name(s, 0);
    if (!json_object_get(all, of)) json_object_set_new(all, of, json_object());
    json_array_foreach(columns, i, values)
    {
        rows_name_of(s, (int)i + 1, name);
        json_object_set_new(json_object_get(all, of), name, shortest(values));
    }
    json_decref(columns);
    return state;
}

int columns_json(const struct lab_db *l, const char *sql, json_t **all, struct error *e)
{
    *all = json_object();
    const int code = put_statements(l, sql, *all, rows_put_columns, e);
    if (!code) return 0;
    json_decref(*all);
    *all = NULL;
    return code;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Returns whether a spreadsheet would calculate the text. A number, also one of %a, is no formula;
 * nor are several with spaces between. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r\n", *text)) return false;
    strtod(text, &end);
    return end == text || (*end && *end != ' ');
}

void csv_put(FILE *out, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
    fprintf(out, "%s%s", quote, is_formula(text) ? "'" : "");
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputs(quote, out);
}
