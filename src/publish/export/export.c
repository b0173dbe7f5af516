// SPDX-License-Identifier: MIT
#include "publish/export/export.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

/* The .sql files of this folder (publish/embedded.S). */
extern const char export_rows_sql[], export_gbench_sql[], export_openmetrics_sql[];

/* ---- Flat records --------------------------------------------------------------------------- */

static bool is_object_in_list(const json_t *list)
{
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) if (json_is_object(item) || json_is_array(item)) return true;
    return false;
}

/* {"a": {"b": 1}} becomes {"a.b": 1}; a list of objects {"a.0.b": ..}. */
static void flatten(json_t *flat, const char *prefix, json_t *value)
{
    char name[256];
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_object(value)) {
        json_object_foreach(value, key, item)
        {
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
            flatten(flat, name, item);
        }
    } else if (is_object_in_list(value)) {
        json_array_foreach(value, i, item)
        {
            snprintf(name, sizeof name, "%s.%zu", prefix, i);
            flatten(flat, name, item);
        }
    } else {
        json_object_set(flat, prefix, value);
    }
}

/* The number of a flat record's keys that identify it: machine, axes of the variant, run, compiler.
 */
enum { IDENTITY = 11 };

/* Makes every record flat, after the columns of its row. */
static json_t *flat_records(const json_t *document)
{
    json_t *rows = json_object_get(document, "rows"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        json_t *record = json_incref(json_object_get(row, "record"));
        json_object_del(row, "record");
        flatten(row, "", record);
        json_decref(record);
    }
    return rows;
}

static void write_jsonl(const json_t *document, FILE *out)
{
    const json_t *records = flat_records(document), *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        json_dumpf(record, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', out);
    }
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void print_scalar(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
}

/* null and missing values are empty. */
static void put_value(FILE *out, const json_t *value)
{
    char *text = NULL;
    size_t size = 0, i;
    const json_t *item;
    FILE *field = memory_text(&text, &size);
    print_scalar(field, value);
    json_array_foreach(value, i, item)
    {
        if (i) fputc(' ', field);
        print_scalar(field, item);
    }
    memory_text_close(field);
    csv_put(out, text);
    free(text);
}

static int entry_compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* The columns: every key that occurs, in an order that does not depend on the other keys. They
 * borrow from `seen`. */
static const char **columns_of(const json_t *records, json_t *seen, size_t *count)
{
    json_t *record, *value;
    const char *key;
    size_t i;
    json_array_foreach(records, i, record) json_object_update_missing(seen, record);
    const char **columns = memory_zeroed(json_object_size(seen) + 1, sizeof *columns);
    *count = 0;
    json_object_foreach(seen, key, value) columns[(*count)++] = key;
    if (*count > IDENTITY)
        qsort(columns + IDENTITY, *count - IDENTITY, sizeof *columns, entry_compare_names);
    return columns;
}

static void write_csv(const json_t *document, FILE *out)
{
    json_t *records = flat_records(document), *seen = json_object(), *record;
    size_t count, i;
    const char **columns = columns_of(records, seen, &count);
    for (size_t k = 0; k < count; k++) {
        if (k) fputc(',', out);
        csv_put(out, columns[k]);
    }
    fputs("\r\n", out);
    json_array_foreach(records, i, record)
    {
        for (size_t k = 0; k < count; k++) {
            if (k) fputc(',', out);
            put_value(out, json_object_get(record, columns[k]));
        }
        fputs("\r\n", out);
    }
    free(columns);
    json_decref(seen);
}

/* ---- The export ----------------------------------------------------------------------------- */

static void write_gbench(const json_t *document, FILE *out)
{
    json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
}

static void write_lines_of(const json_t *document, FILE *out)
{
    const json_t *lines = json_object_get(document, "lines"), *line;
    size_t i;
    json_array_foreach(lines, i, line)
        fprintf(out, "%s\n", json_string_value(json_object_get(line, "text")));
}

int export_write(const struct lab_db *l, const char *format, FILE *out, struct error *e)
{
    static const struct {
        const char *name, *sql;
        void (*write)(const json_t *document, FILE *out);
    } formats[] = {{"gbench", export_gbench_sql, write_gbench},
                   {"openmetrics", export_openmetrics_sql, write_lines_of},
                   {"csv", export_rows_sql, write_csv},
                   {"jsonl", export_rows_sql, write_jsonl}};
    size_t i = 0;
    while (strcmp(formats[i].name, format) != 0) i++;
    json_t *document = rows_document(l, formats[i].sql, e);
    if (!document) return EXIT_BAD_INPUT;
    formats[i].write(document, out);
    json_decref(document);
    if ((fflush(out) == 0 && !ferror(out)) || errno == EPIPE)
        return 0; /* a reader has seen enough */
    return fail(e, EXIT_BAD_INPUT, "cannot write: the export: %s; free some space",
                strerror(errno));
}

/* ---- Schemas -------------------------------------------------------------------------------- */

/* schemas.txt (publish/embedded.S), whose head says how it is read. */
extern const char export_schemas[];

/* Returns the schema of a type. */
static json_t *schema_of_type(const char *type, size_t size)
{
    static const char *const simple[][2] = {{"text", "string"},
                                            {"number", "number"},
                                            {"integer", "integer"},
                                            {"truth", "boolean"},
                                            {"null", "null"}};
    const char *end = type + size, *bar = type;
    for (int depth = 0; bar < end && (depth || *bar != '|'); bar++)
        depth += (*bar == '(') - (*bar == ')');
    if (bar < end) {
        json_t *first = schema_of_type(type, (size_t)(bar - type)),
               *rest = schema_of_type(bar + 1, (size_t)(end - bar - 1));
        if (!json_object_get(rest, "anyOf")) return json_pack("{s:[o, o]}", "anyOf", first, rest);
        json_array_insert_new(json_object_get(rest, "anyOf"), 0, first);
        return rest;
    }
    if (size > 2 && !memcmp(end - 2, "[]", 2))
        return json_pack("{s:s, s:o}", "type", "array", "items", schema_of_type(type, size - 2));
    if (size > 2 && !memcmp(end - 2, "{}", 2))
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         schema_of_type(type, size - 2));
    if (*type == '(') return schema_of_type(type + 1, size - 2);
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strlen(simple[i][0]) == size && !memcmp(simple[i][0], type, size))
            return json_pack("{s:s}", "type", simple[i][1]);
    if (size == 3 && !memcmp("any", type, 3)) return json_object();
    return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%.*s", (int)size, type));
}

/* Adds the fields of a line `TYPE FIELD..` to a schema; `+ NAME` has it hold to another, too. */
static void add_fields(json_t *schema, char *line)
{
    char *left, *type = strtok_r(line, " ", &left);
    for (char *word; (word = strtok_r(NULL, " ", &left));) {
        char *last = word + strlen(word) - 1;
        if (*type == '+') {
            json_object_set_new(schema, "allOf",
                                json_pack("[o]", schema_of_type(word, strlen(word))));
            continue;
        }
        if (*last == '?')
            *last = '\0';
        else
            json_array_append_new(json_object_get(schema, "required"), json_string(word));
        json_object_set_new(json_object_get(schema, "properties"), word,
                            schema_of_type(type, strlen(type)));
    }
}

/* Returns all schemas by name; *texts: descriptions of those with a separate name. */
static json_t *read_schemas(json_t **texts)
{
    json_t *all = json_object(), *schema = NULL;
    char *copy = memory_copy(export_schemas), *left;
    *texts = json_object();
    for (char *line = strtok_r(copy, "\n", &left); line; line = strtok_r(NULL, "\n", &left)) {
        if (*line == ' ') add_fields(schema, line);
        if (*line != '=') continue;
        const char *name = line + strlen("= ");
        char *text = strstr(name, ": ");
        if (text) *text = '\0';
        if (text) json_object_set_new(*texts, name, json_string(text + strlen(": ")));
        schema = json_pack("{s:s, s:[], s:{}}", "type", "object", "required", "properties");
        json_object_set_new(all, name, schema);
    }
    free(copy);
    return all;
}

/* Adds to $defs the schemas that a value refers to, and theirs. */
static void add_referred(json_t *defs, const json_t *all, json_t *value)
{
    const char *key, *refers = json_string_value(json_object_get(value, "$ref"));
    json_t *part;
    size_t i;
    if (refers) {
        refers += strlen("#/$defs/");
        if (json_object_get(defs, refers)) return;
        json_object_set(defs, refers, json_object_get(all, refers));
        add_referred(defs, all, json_object_get(all, refers));
    }
    json_object_foreach(value, key, part) add_referred(defs, all, part);
    json_array_foreach(value, i, part) add_referred(defs, all, part);
}

void schema_list(FILE *out)
{
    const char *name;
    json_t *texts, *text;
    json_decref(read_schemas(&texts));
    json_object_foreach(texts, name, text) fprintf(out, "%s\t%s\n", name, json_string_value(text));
    json_decref(texts);
}

json_t *schema_of(const char *name)
{
    json_t *texts, *all = read_schemas(&texts), *text = json_object_get(texts, name),
                   *schema = NULL;
    if (text) {
        schema = json_pack("{s:s, s:s, s:O, s:o}", "$schema",
                           "https://json-schema.org/draft/2020-12/schema", "title", name,
                           "description", text, "$ref", json_sprintf("#/$defs/%s", name));
        json_t *defs = json_object();
        add_referred(defs, all, schema);
        json_object_set_new(schema, "$defs", defs);
    }
    json_decref(texts);
    json_decref(all);
    return schema;
}

/* ---- summary.json --------------------------------------------------------------------------- */

int summary_write(const struct lab_db *l, const char *folder, struct error *e)
{
    char path[1100], *text = NULL;
    size_t size = 0, i;
    json_t *document = rows_document(l, sql_summary_json, e), *row;
    if (!document) return EXIT_BAD_INPUT;
    json_t *rows = json_incref(json_object_get(document, "rows"));
    json_object_del(document, "rows");
    char *head = json_dumps(document, JSON_COMPACT);
    FILE *out = memory_text(&text, &size);
    /* The head's closing brace makes room for the rows, each on a line of its own. */
    fprintf(out, "%.*s,\"rows\":[\n", (int)strlen(head) - 1, head);
    json_array_foreach(rows, i, row)
    {
        json_dumpf(row, out, JSON_COMPACT | JSON_REAL_PRECISION(5));
        fputs(i + 1 < json_array_size(rows) ? ",\n" : "\n", out);
    }
    fputs("]}\n", out);
    memory_text_close(out);
    snprintf(path, sizeof path, "%s/summary.json", folder);
    const int code = file_write_atomic(path, text, size, e);
    json_decref(document);
    json_decref(rows);
    free(head);
    free(text);
    return code;
}
