#include "publish/sections/report_cases.h"

#include <string.h>

#include "model/record.h"
#include "publish/sections/case_text.h"

/* Of each table: the rest is in cases.jsonl and report.html. */
enum { TABLE_ROWS = 24, CELL_MAX = 400 };

/* A bar would end the cell, and a line break the table. */
static void write_cell(FILE *out, const char *text)
{
    fputc(' ', out);
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputs(" |", out);
}

static void write_value(FILE *out, const json_t *value)
{
    char text[CELL_MAX];
    write_cell(out, case_cell(value, text, sizeof text));
}

static void write_rule(FILE *out, size_t columns)
{
    fputs("\n|", out);
    while (columns--) fputs("---|", out);
    fputc('\n', out);
}

static void write_overview(FILE *out, const json_t *cases)
{
    static const char *const keys[] = {"name", "verdict", "mechanism", "remedy", "price"};
    size_t i;
    const json_t *record;
    fputs("| case | verdict | mechanism | remedy | its price |", out);
    write_rule(out, 5);
    json_array_foreach(cases, i, record)
    {
        fputc('|', out);
        for (size_t k = 0; k < 5; k++) write_cell(out, record_text(record, keys[k]));
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void write_checks(FILE *out, const json_t *checks)
{
    static const char *const keys[] = {"what", "expected", "measured", "holds"};
    size_t i;
    const json_t *check;
    if (!json_array_size(checks)) return;
    fputs("| check | expected | measured here | holds |", out);
    write_rule(out, 4);
    json_array_foreach(checks, i, check)
    {
        fputc('|', out);
        for (size_t k = 0; k < 4; k++) write_value(out, json_object_get(check, keys[k]));
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void write_table(FILE *out, const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns"), *column, *row;
    const json_t *rows = json_object_get(table, "rows");
    size_t i, k;
    if (!json_array_size(columns) || !json_array_size(rows)) return;
    fprintf(out, "%s:\n\n|", record_text(table, "caption"));
    json_array_foreach(columns, i, column) write_cell(out, record_text(column, "label"));
    write_rule(out, json_array_size(columns));
    json_array_foreach(rows, i, row)
    {
        if (i == TABLE_ROWS) break;
        fputc('|', out);
        json_array_foreach(columns, k, column)
            write_value(out, json_object_get(row, record_text(column, "key")));
        fputc('\n', out);
    }
    if (json_array_size(rows) > TABLE_ROWS)
        fprintf(out, "\n%d of %zu rows; all are in cases.jsonl and report.html.\n", TABLE_ROWS,
                json_array_size(rows));
    fputc('\n', out);
}

static void write_case(FILE *out, const json_t *record)
{
    const char *reason = record_text(record, "reason"), *status = record_text(record, "status");
    size_t i;
    const json_t *table;
    fprintf(out, "### `%s`: %s\n\n%s\n\n", record_text(record, "name"),
            record_text(record, "title"), record_text(record, "reported"));
    if (*reason) fprintf(out, "**%s**: %s\n\n", record_text(record, "verdict"), reason);
    if (strcmp(status, "ok") != 0) fprintf(out, "Status: **%s**\n\n", status);
    write_checks(out, json_object_get(record, "checks"));
    json_array_foreach(json_object_get(record, "tables"), i, table) write_table(out, table);
}

void report_cases(FILE *out, const json_t *cases)
{
    size_t i;
    const json_t *record;
    if (!json_array_size(cases)) return;
    fputs("## Case studies\n\nFailures that were reported elsewhere, shown again by this lab's own "
          "kernels on this CPU. `ulplab case run NAME` runs one.\n\n",
          out);
    write_overview(out, cases);
    json_array_foreach(cases, i, record) write_case(out, record);
}
