// SPDX-License-Identifier: MIT
#include "publish/export/export.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/render/csv.h"
#include "publish/render/rows.h"

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
