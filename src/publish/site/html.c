// SPDX-License-Identifier: MIT
#include "publish/site/html.h"

#include "base/memory.h"
#include "publish/render/rows.h"
#include "publish/sections/sections.h"
#include "publish/site/assets.h"
#include "publish/site/frame.h"

int html_write_vectors(const struct report *r, const char *into, struct error *e)
{
    char path[1100], title[300];
    json_t *data;
    if (lab_number(&r->db, "SELECT count(*) FROM vectors") <= 0) return 0;
    snprintf(path, sizeof path, "%s/vector-math.html", into);
    snprintf(title, sizeof title, "Vector math on %s", r->title);
    int code = columns_json(&r->db, vector_page_sql, &data, e);
    if (code) return code;
    return frame_write(
        &(struct frame){
            .title = title,
            .without =
                "the table and the chart are missing. report.md beside this page has the fastest "
                "and the most accurate of each function; scan.jsonl and timing.jsonl have every "
                "row.",
            .links = {{"table", "Table"},
                      {"chart", "Speed against error"},
                      {"legend", "What the columns say"},
                      {"report.html", "The report"}},
            .body = memory_copy(vectors_html),
            .data = data,
            .scripts = {vectors_js},
            .drawn = vectors_chart_js,
        },
        path, e);
}

int html_write(const struct report *r, const char *into, char *path, size_t path_size,
               struct error *e)
{
    size_t size = 0, links = 0;
    json_t *data;
    int code = columns_json(&r->db, report_page_sql, &data, e);
    if (code) return code;
    snprintf(path, path_size, "%s/report.html", into);
    struct frame f = {
        .title = r->title,
        .without =
            "charts, filters and the longest tables are missing. report.md beside this page has "
            "the answer; <code>ulplab export DIR --format csv</code> writes every row.",
        .data = data,
        .scripts = {app_js, tables_js},
        .drawn = charts_js,
    };
    const struct doc d = {.out = memory_text(&f.body, &size), .html = true};
    query_write(&d, &r->db, sql_section_head);
    for (const struct section *s = sections; s->id; s++)
        if (section_write(s, r, &d) && *s->nav)
            f.links[links++] = (struct frame_link){s->id, s->nav};
    memory_text_close(d.out);
    code = frame_write(&f, path, e);
    return code ? code : html_write_vectors(r, into, e);
}

int html_write_history(const struct lab_db *l, const char *path, struct error *e)
{
    json_t *data;
    int code = columns_json(l, history_page_sql, &data, e);
    if (code) return code;
    return frame_write(
        &(struct frame){
            .title = "Over time",
            .without = "the changes are missing. <code>ulplab history LAB.db</code> prints them.",
            .links = {{"series", "Series"}, {"changed", "What changed"}},
            .body = memory_copy(history_html),
            .data = data,
            .scripts = {history_js},
        },
        path, e);
}
