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

/* How many of a flat record's keys say what it is of: machine, axes of the variant, run, compiler.
 */
enum { IDENTITY = 11 };

/* Makes every record flat, behind what its row has. */
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

/* null and what is not there are empty. */
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

/* The columns, every key that occurs: in an order that does not depend on which others there are.
 * They borrow from `seen`. */
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

/* ---- The whole ------------------------------------------------------------------------------ */

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
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) != 0) continue;
        json_t *document = rows_document(l, formats[i].sql, e);
        if (!document) return EXIT_BAD_INPUT;
        formats[i].write(document, out);
        json_decref(document);
        if (fflush(out) == 0 && !ferror(out)) return 0;
        return errno == EPIPE /* its reader has seen enough */
                   ? 0
                   : fail(e, EXIT_BAD_INPUT, "cannot write: the export: %s; free some space",
                          strerror(errno));
    }
    return fail(e, EXIT_USAGE,
                "export: --format %s: unknown; known: gbench, openmetrics, csv, jsonl, archive",
                format);
}

/* ---- Schemas -------------------------------------------------------------------------------- */

/* schemas.txt (publish/embedded.S), whose head says how it is read. */
extern const char export_schemas[];

/* A piece of the text. */
struct span {
    const char *at;
    size_t size;
};

static struct span span_until(const char *at, const char *stops)
{
    return (struct span){at, strcspn(at, stops)};
}

/* Takes the next word of a line; of size 0 at its end. */
static struct span take_word(const char **at, const char *end)
{
    while (*at < end && **at == ' ') ++*at;
    const struct span word = {*at, strcspn(*at, " \n")};
    *at += word.size;
    return word;
}

/* Returns the place behind a type's first alternative: of the first | outside of parentheses. */
static size_t alternative_size(struct span type)
{
    int depth = 0;
    size_t i = 0;
    for (; i < type.size && (depth || type.at[i] != '|'); i++)
        depth += (type.at[i] == '(') - (type.at[i] == ')');
    return i;
}

static json_t *schema_of_type(struct span type);

static json_t *schema_of_name(struct span name)
{
    static const char *const simple[][2] = {{"text", "string"},
                                            {"number", "number"},
                                            {"integer", "integer"},
                                            {"truth", "boolean"},
                                            {"null", "null"}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strlen(simple[i][0]) == name.size && !memcmp(simple[i][0], name.at, name.size))
            return json_pack("{s:s}", "type", simple[i][1]);
    if (name.size == 3 && !memcmp("any", name.at, 3)) return json_object();
    return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%.*s", (int)name.size, name.at));
}

static json_t *schema_of_alternative(struct span type)
{
    const char *last = type.at + type.size - 2;
    const struct span inner = {type.at, type.size - 2}, within = {type.at + 1, type.size - 2};
    if (type.size > 2 && !memcmp(last, "[]", 2))
        return json_pack("{s:s, s:o}", "type", "array", "items", schema_of_type(inner));
    if (type.size > 2 && !memcmp(last, "{}", 2))
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         schema_of_type(inner));
    return *type.at == '(' ? schema_of_type(within) : schema_of_name(type);
}

static json_t *schema_of_type(struct span type)
{
    json_t *any_of = json_array();
    for (;;) {
        const size_t size = alternative_size(type);
        json_array_append_new(any_of, schema_of_alternative((struct span){type.at, size}));
        if (size == type.size) break;
        type = (struct span){type.at + size + 1, type.size - size - 1};
    }
    if (json_array_size(any_of) > 1) return json_pack("{s:o}", "anyOf", any_of);
    json_t *one = json_incref(json_array_get(any_of, 0));
    json_decref(any_of);
    return one;
}

/* Adds the fields of a line `TYPE FIELD..` to a schema; `+ NAME` has it hold to another, too. */
static void add_fields(json_t *schema, const char *line, const char *end)
{
    json_t *properties = json_object_get(schema, "properties");
    const struct span type = take_word(&line, end);
    for (struct span word; (word = take_word(&line, end)).size;) {
        const bool optional = word.at[word.size - 1] == '?';
        const size_t size = word.size - optional;
        if (*type.at == '+') {
            json_array_append_new(json_object_get(schema, "allOf"), schema_of_name(word));
            continue;
        }
        json_t *name = json_stringn(word.at, size);
        json_object_set_new(properties, json_string_value(name), schema_of_type(type));
        if (!optional) json_array_append(json_object_get(schema, "required"), name);
        json_decref(name);
    }
}

/* Returns the schema of the fields behind a line that begins one. */
static json_t *read_fields(const char *line)
{
    json_t *schema =
        json_pack("{s:s, s:[], s:[], s:{}}", "type", "object", "allOf", "required", "properties");
    for (line += strcspn(line, "\n"); *line && strncmp(line, "\n= ", 3) != 0;) {
        const char *end = line + 1 + strcspn(line + 1, "\n");
        if (line[1] == ' ') add_fields(schema, line + 1, end);
        line = end;
    }
    if (!json_array_size(json_object_get(schema, "allOf"))) json_object_del(schema, "allOf");
    return schema;
}

/* Returns the line that begins the schema: its name. */
static const char *find_schema(struct span name)
{
    for (const char *line = export_schemas; (line = strstr(line, "\n= "));) {
        line += strlen("\n= ");
        if (span_until(line, ":\n").size == name.size && !memcmp(line, name.at, name.size))
            return line;
    }
    return NULL;
}

/* Adds to $defs the schemas that a value refers to, and theirs. */
static void add_referred(json_t *defs, json_t *value)
{
    const char *key, *refers = json_string_value(json_object_get(value, "$ref"));
    json_t *part;
    size_t i;
    if (refers) {
        refers += strlen("#/$defs/");
        if (json_object_get(defs, refers)) return;
        json_t *schema = read_fields(find_schema((struct span){refers, strlen(refers)}));
        json_object_set_new(defs, refers, schema);
        add_referred(defs, schema);
        return;
    }
    json_object_foreach(value, key, part) add_referred(defs, part);
    json_array_foreach(value, i, part) add_referred(defs, part);
}

void schema_list(FILE *out)
{
    for (const char *line = export_schemas; (line = strstr(line, "\n= "));) {
        line += strlen("\n= ");
        const struct span name = span_until(line, ":\n");
        if (name.at[name.size] != ':') continue;
        const char *text = name.at + name.size + strlen(": ");
        fprintf(out, "%.*s\t%.*s\n", (int)name.size, name.at, (int)strcspn(text, "\n"), text);
    }
}

json_t *schema_of(const char *name)
{
    const char *line = find_schema((struct span){name, strlen(name)});
    if (!line || line[strlen(name)] != ':') return NULL;
    const struct span text = span_until(line + strlen(name) + strlen(": "), "\n");
    json_t *schema = json_pack("{s:s, s:s, s:o, s:o, s:{}}", "$schema",
                               "https://json-schema.org/draft/2020-12/schema", "title", name,
                               "description", json_stringn(text.at, text.size), "$ref",
                               json_sprintf("#/$defs/%s", name), "$defs");
    add_referred(json_object_get(schema, "$defs"), schema);
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
