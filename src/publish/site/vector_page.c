// SPDX-License-Identifier: MIT
#include "publish/site/vector_page.h"

#include "publish/render/markup.h"
#include "publish/site/assets.h"
#include "publish/site/columns.h"
#include "publish/site/frame.h"

static void write_body(FILE *out, void *context)
{
    const struct report *r = context;
    markup(out, "<h1>Vector math on %s</h1>\n", r->brand);
    fputs(vectors_html, out);
}

static json_t *data_of(void *context)
{
    const struct report *r = context;
    return columns_of_queries(&r->db, vector_page_sql);
}

int vector_page_write(const struct report *r, const char *folder, struct error *e)
{
    static const char *const scripts[] = {vectors_js, NULL}, *const drawn[] = {vectors_chart_js,
                                                                               NULL};
    char path[1100], title[240];
    if (lab_number(&r->db, "SELECT count(*) FROM vectors") <= 0) return 0;
    snprintf(path, sizeof path, "%s/vector-math.html", folder);
    snprintf(title, sizeof title, "vector math on %s", r->brand);
    const struct frame f = {
        .title = title,
        .without =
            "the table and the chart are missing. report.md beside this page has the fastest and "
            "the most accurate of each function; scan.jsonl and timing.jsonl have every row.",
        .style = vectors_css,
        .links = {{"table", "Table"},
                  {"chart", "Speed against error"},
                  {"legend", "What the columns say"},
                  {"report.html", "The report"}},
        .link_count = 4,
        .write = write_body,
        .context = (void *)(uintptr_t)r,
        .data = data_of,
        .scripts = scripts,
        .drawn = drawn,
    };
    return frame_write(&f, path, e);
}
