/* The case studies: what was reported, what this CPU gives, tables and pictures as their records
 * have them. */
#include <string.h>

#include "model/record.h"
#include "publish/sections/case_text.h"
#include "publish/sections/sections.h"

enum { CASE_ROWS = 60, CASE_COLUMNS = 24, TEXT_MAX = 2000 };

static void write_value(struct doc *d, const json_t *value)
{
    char text[TEXT_MAX];
    doc_shaded(d, json_is_string(value) ? "text" : "", "%s", case_cell(value, text, sizeof text));
}

static void write_overview(struct doc *d, const json_t *cases)
{
    static const char *const keys[] = {"name", "verdict", "mechanism", "remedy", "price"};
    static const char *const heads[] = {"case",   "verdict",   "mechanism",
                                        "remedy", "its price", NULL};
    const json_t *record;
    size_t i;
    doc_table(d, heads);
    json_array_foreach(cases, i, record)
    {
        doc_row(d);
        for (size_t k = 0; k < 5; k++) doc_words(d, "%s", record_text(record, keys[k]));
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* ---- Tables of a record ------------------------------------------------------------------------
 */

struct case_columns {
    const char *keys[CASE_COLUMNS], *labels[CASE_COLUMNS + 1]; /* labels: ends with NULL */
    size_t count;
};

static void add_column(struct case_columns *c, const char *key, const char *label)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->keys[i], key)) return;
    if (c->count == CASE_COLUMNS) return;
    c->keys[c->count] = key;
    c->labels[c->count++] = label;
}

static void write_rows(struct doc *d, const json_t *rows, const struct case_columns *columns)
{
    const json_t *row;
    size_t i;
    if (!columns->count) return;
    doc_table(d, columns->labels);
    json_array_foreach(rows, i, row)
    {
        if (i == CASE_ROWS) break;
        doc_row(d);
        for (size_t c = 0; c < columns->count; c++)
            write_value(d, json_object_get(row, columns->keys[c]));
        doc_row_end(d);
    }
    doc_table_end(d);
    if (json_array_size(rows) > CASE_ROWS)
        doc_text(d, "%d of %zu rows; all are in cases.jsonl.", CASE_ROWS, json_array_size(rows));
}

static void write_table(struct doc *d, const json_t *table)
{
    struct case_columns columns = {.count = 0};
    const json_t *column;
    size_t i;
    json_array_foreach(json_object_get(table, "columns"), i, column)
        add_column(&columns, record_text(column, "key"), record_text(column, "label"));
    doc_text(d, "%s:", record_text(table, "caption"));
    write_rows(d, json_object_get(table, "rows"), &columns);
}

/* A record without tables of its own: its rows, with whatever fields they have. */
static void write_plain_rows(struct doc *d, json_t *rows)
{
    struct case_columns columns = {.count = 0};
    const char *key;
    json_t *row, *value;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        json_object_foreach(row, key, value) add_column(&columns, key, key);
    }
    write_rows(d, rows, &columns);
}

/* ---- A case ------------------------------------------------------------------------------------
 */

static void write_checks(struct doc *d, const json_t *checks)
{
    struct case_columns columns = {.count = 0};
    add_column(&columns, "what", "check");
    add_column(&columns, "expected", "expected");
    add_column(&columns, "measured", "measured here");
    add_column(&columns, "holds", "holds");
    write_rows(d, checks, &columns);
}

/* What a record without checks expected and measured. */
static void write_figures(struct doc *d, const json_t *record)
{
    static const char *const told[][2] = {{"expected", "Expected"}, {"measured", "Measured"}};
    for (size_t k = 0; k < 2; k++) {
        const json_t *value = json_object_get(record, told[k][0]);
        char text[TEXT_MAX];
        if (!value || json_is_null(value) || (json_is_object(value) && !json_object_size(value)))
            continue;
        doc_text(d, "**%s:** %s", told[k][1], case_cell(value, text, sizeof text));
    }
}

static void write_words(struct doc *d, const json_t *record)
{
    static const char *const told[][2] = {{"summary", NULL},          {"title", NULL},
                                          {"reason", "Why"},          {"reported", "Reported"},
                                          {"mechanism", "Mechanism"}, {"remedy", "Remedy"},
                                          {"price", "Its price"},     {"why", "Why"}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        const char *text = record_text(record, told[k][0]);
        if (*text && told[k][1])
            doc_text(d, "**%s:** %s", told[k][1], text);
        else if (*text)
            doc_text(d, "%s", text);
    }
}

/* A record without tables and curves of its own has its rows drawn, whatever they hold. */
static void write_charts(struct doc *d, size_t i, const json_t *record)
{
    const json_t *curves = json_object_get(record, "curves");
    char name[64];
    if (!json_array_size(curves) && !json_array_size(json_object_get(record, "tables"))) {
        snprintf(name, sizeof name, "case-%zu", i);
        doc_chart(d, name, record_text(record, "name"));
    }
    for (size_t k = 0; k < json_array_size(curves); k++) {
        snprintf(name, sizeof name, "case-%zu-%zu", i, k);
        doc_chart(d, name, record_text(json_array_get(curves, k), "title"));
    }
}

static void write_case(struct doc *d, size_t i, const json_t *record)
{
    const json_t *tables = json_object_get(record, "tables"), *table;
    const json_t *checks = json_object_get(record, "checks");
    const char *status = record_text(record, "status");
    char title[256];
    size_t k;
    snprintf(title, sizeof title, "%s: %s", record_text(record, "name"),
             record_text(record, "verdict"));
    doc_heading(d, title);
    if (*status && strcmp(status, "ok") != 0) doc_text(d, "Status: **%s**", status);
    write_words(d, record);
    if (json_array_size(checks))
        write_checks(d, checks);
    else
        write_figures(d, record);
    write_charts(d, i, record);
    json_array_foreach(tables, k, table) write_table(d, table);
    if (!json_array_size(tables)) write_plain_rows(d, json_object_get(record, "rows"));
}

void section_cases(const struct report *r, struct doc *d)
{
    const json_t *record;
    size_t i;
    doc_text(d, "Failures that were reported elsewhere, shown again by this lab's own kernels on "
                "this CPU. `ulplab case run NAME` runs one.");
    write_overview(d, r->cases);
    json_array_foreach(r->cases, i, record) write_case(d, i, record);
}
