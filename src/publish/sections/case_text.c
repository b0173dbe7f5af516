// SPDX-License-Identifier: MIT
#include "publish/sections/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/render/table.h"

enum { CELL_MAX = 120, TABLE_ROWS = 60 };

/* A value as one cell: strings as they are, numbers short, nothing where there is nothing, anything
 * deeper as JSON. Writes at most `size` bytes; returns `text`. */
static const char *case_cell(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value)) {
        snprintf(text, size, "%s", json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, size, "%.4g", json_real_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(text, size, "%s", json_is_true(value) ? "yes" : "no");
    } else if (!value || json_is_null(value)) {
        snprintf(text, size, "-");
    } else {
        char *all = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(4));
        snprintf(text, size, "%s", all ? all : "");
        free(all);
    }
    return text;
}

static void write_table(FILE *out, const json_t *table)
{
    const json_t *list = json_object_get(table, "columns"), *rows = json_object_get(table, "rows");
    struct column columns[COLUMNS_MAX];
    size_t count = 0, i;
    const json_t *column, *row;
    json_array_foreach(list, i, column)
    {
        if (count == COLUMNS_MAX) break;
        const json_t *first = json_object_get(json_array_get(rows, 0), record_text(column, "key"));
        columns[count++] =
            (struct column){.title = record_text(column, "label"), .right = json_is_number(first)};
    }
    if (!count) return;
    struct table t;
    table_begin(&t, columns, count);
    json_array_foreach(rows, i, row)
    {
        char cells[COLUMNS_MAX][CELL_MAX];
        const char *pointers[COLUMNS_MAX];
        if (i == TABLE_ROWS) break;
        for (size_t c = 0; c < count; c++)
            pointers[c] =
                case_cell(json_object_get(row, record_text(json_array_get(list, c), "key")),
                          cells[c], CELL_MAX);
        table_add(&t, TINT_NONE, pointers);
    }
    fprintf(out, "\n%s:\n", record_text(table, "caption"));
    table_end(&t, out, terminal_of(out));
    if (json_array_size(rows) > TABLE_ROWS)
        fprintf(out, "... and %zu more rows in the JSON\n", json_array_size(rows) - TABLE_ROWS);
}

static void write_checks(FILE *out, const json_t *checks)
{
    static const struct column columns[] = {
        {"check", false, 0}, {"expected", false, 0}, {"measured", false, 0}, {"holds", false, 0}};
    static const char *const keys[] = {"what", "expected", "measured", "holds"};
    struct table t;
    size_t i;
    const json_t *check;
    if (!json_array_size(checks)) return;
    table_begin(&t, columns, 4);
    json_array_foreach(checks, i, check)
    {
        char cells[4][CELL_MAX];
        const char *pointers[4];
        for (size_t c = 0; c < 4; c++)
            pointers[c] = case_cell(json_object_get(check, keys[c]), cells[c], CELL_MAX);
        table_add(&t, json_is_true(json_object_get(check, "holds")) ? TINT_GOOD : TINT_BAD,
                  pointers);
    }
    fputc('\n', out);
    table_end(&t, out, terminal_of(out));
}

static void write_case(FILE *out, const json_t *record, bool brief)
{
    static const char *const told[][2] = {{"reported", "Reported"},
                                          {"mechanism", "Mechanism"},
                                          {"remedy", "Remedy"},
                                          {"price", "Price"}};
    struct terminal terminal = terminal_of(out);
    const char *reason = record_text(record, "reason"), *status = record_text(record, "status");
    fprintf(out, "%s: %s%s%s%s%s\n", record_text(record, "name"), record_text(record, "verdict"),
            *reason ? ": " : "", reason, strcmp(status, "ok") ? ", " : "",
            strcmp(status, "ok") ? status : "");
    if (brief) return;
    write_prose(out, terminal, 0, "%s", record_text(record, "title"));
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (*record_text(record, told[i][0]))
            write_prose(out, terminal, 2, "%s: %s", told[i][1], record_text(record, told[i][0]));
    write_checks(out, json_object_get(record, "checks"));
    size_t i;
    const json_t *table;
    json_array_foreach(json_object_get(record, "tables"), i, table) write_table(out, table);
    fputc('\n', out);
}

void case_text(FILE *out, const json_t *cases, bool brief)
{
    size_t i;
    const json_t *record;
    json_array_foreach(cases, i, record) write_case(out, record, brief);
}
