/* The case studies: what was reported, what this CPU gives, tables and pictures as their records
 * have them. */
#include <string.h>

#include "publish/sections/case_text.h"
#include "publish/site/html_page.h"
#include "publish/render/markup.h"

enum { CASE_ROWS = 60, TEXT_MAX = 2000 };

static void write_value(const struct html_page *p, const json_t *value)
{
    char text[TEXT_MAX];
    markup(p->out, "%s", case_cell(value, text, sizeof text));
}

struct case_column {
    const char *key, *label;
};

static void write_rows(const struct html_page *p, const json_t *rows,
                       const struct case_column *columns, size_t count)
{
    size_t i;
    const json_t *row;
    fputs("<div class=\"scroll\"><table class=\"sortable\"><thead><tr>", p->out);
    for (size_t c = 0; c < count; c++)
        markup(p->out, "<th scope=\"col\">%s</th>", columns[c].label);
    fputs("</tr></thead><tbody>\n", p->out);
    json_array_foreach(rows, i, row)
    {
        if (i == CASE_ROWS) break;
        fputs("<tr>", p->out);
        for (size_t c = 0; c < count; c++) {
            const json_t *value = json_object_get(row, columns[c].key);
            fputs(json_is_string(value) ? "<td class=\"text\">" : "<td>", p->out);
            write_value(p, value);
            fputs("</td>", p->out);
        }
        fputs("</tr>\n", p->out);
    }
    fputs("</tbody></table></div>\n", p->out);
    if (json_array_size(rows) > CASE_ROWS)
        markup(p->out, "<p class=\"note\">%d of %zu rows; all are in cases.jsonl.</p>\n", CASE_ROWS,
               json_array_size(rows));
}

/* A record without tables of its own: its rows, with whatever fields they have. */
static void write_plain_rows(const struct html_page *p, json_t *rows)
{
    struct axis_values keys = {.count = 0};
    struct case_column columns[sizeof keys.items / sizeof *keys.items];
    const char *key;
    json_t *row, *value;
    size_t i;
    json_array_foreach(rows, i, row) json_object_foreach(row, key, value) axis_remember(&keys, key);
    for (i = 0; i < keys.count; i++)
        columns[i] = (struct case_column){keys.items[i], keys.items[i]};
    if (keys.count) write_rows(p, rows, columns, keys.count);
}

static void write_table(const struct html_page *p, const json_t *table)
{
    enum { MOST = 24 };
    struct case_column columns[MOST];
    size_t count = 0, i;
    const json_t *column;
    json_array_foreach(json_object_get(table, "columns"), i, column) if (count < MOST)
        columns[count++] =
            (struct case_column){page_text(column, "key"), page_text(column, "label")};
    markup(p->out, "<h4>%s</h4>\n", page_text(table, "caption"));
    write_rows(p, json_object_get(table, "rows"), columns, count);
}

static void write_figures(const struct html_page *p, const json_t *record)
{
    static const struct case_column columns[] = {{"what", "check"},
                                                 {"expected", "expected"},
                                                 {"measured", "measured here"},
                                                 {"holds", "holds"}};
    static const char *const told[][2] = {{"expected", "Expected: "}, {"measured", "Measured: "}};
    const json_t *checks = json_object_get(record, "checks");
    if (json_array_size(checks)) {
        write_rows(p, checks, columns, sizeof columns / sizeof *columns);
        return;
    }
    for (size_t k = 0; k < 2; k++) {
        const json_t *value = json_object_get(record, told[k][0]);
        if (!value || json_is_null(value) || (json_is_object(value) && !json_object_size(value)))
            continue;
        markup(p->out, "<p><b>%s</b>", told[k][1]);
        write_value(p, value);
        fputs("</p>\n", p->out);
    }
}

static void write_words(const struct html_page *p, const json_t *record)
{
    static const char *const told[][2] = {{"summary", ""},
                                          {"title", ""},
                                          {"reason", "Why: "},
                                          {"reported", "Reported: "},
                                          {"mechanism", "Mechanism: "},
                                          {"remedy", "Remedy: "},
                                          {"price", "Its price: "},
                                          {"why", "Why: "}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        if (*page_text(record, told[k][0]))
            markup(p->out, "<p><b>%s</b>%s</p>\n", told[k][1], page_text(record, told[k][0]));
}

/* A record without tables and curves of its own has its rows drawn, whatever they hold. */
static void write_pictures(const struct html_page *p, size_t i, const json_t *record)
{
    const json_t *curves = json_object_get(record, "curves");
    char name[64];
    if (!json_array_size(curves) && !json_array_size(json_object_get(record, "tables"))) {
        snprintf(name, sizeof name, "case-%zu", i);
        chart_room(p, name, page_text(record, "name"));
    }
    for (size_t k = 0; k < json_array_size(curves); k++) {
        snprintf(name, sizeof name, "case-%zu-%zu", i, k);
        chart_room(p, name, page_text(json_array_get(curves, k), "title"));
    }
}

static void write_case(const struct html_page *p, size_t i, const json_t *record)
{
    const char *verdict = page_text(record, "verdict");
    const json_t *tables = json_object_get(record, "tables"), *table;
    size_t k;
    markup(p->out, "<article class=\"case\"><h3>%s <span class=\"mark %s\">%s</span></h3>\n",
           page_text(record, "name"), !strcmp(verdict, "reproduced") ? "ok" : "warn", verdict);
    write_words(p, record);
    write_figures(p, record);
    write_pictures(p, i, record);
    json_array_foreach(tables, k, table) write_table(p, table);
    if (!json_array_size(tables)) write_plain_rows(p, json_object_get(record, "rows"));
    fputs("</article>\n", p->out);
}

void html_cases(const struct html_page *p)
{
    section_open(p, "cases", "Case studies");
    size_t i;
    const json_t *record;
    json_array_foreach(p->cases, i, record) write_case(p, i, record);
    section_close(p);
}
