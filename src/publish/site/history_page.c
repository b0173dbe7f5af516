// SPDX-License-Identifier: MIT
#include "publish/site/history_page.h"

#include "publish/site/assets.h"
#include "publish/site/columns.h"
#include "publish/site/frame.h"

static void write_body(FILE *out, void *context)
{
    (void)context;
    fputs("<h1>Over time</h1>\n", out);
    fputs(history_html, out);
}

static json_t *data_of(void *context)
{
    return columns_of_queries(context, history_page_sql);
}

int history_write_page(const struct lab_db *l, const char *path, struct error *e)
{
    static const char *const scripts[] = {history_js, NULL};
    const struct frame f = {
        .title = "over time",
        .without = "the changes are missing. <code>ulplab history LAB.db</code> prints them.",
        .style = history_css,
        .links = {{"series", "Series"}, {"changed", "What changed"}},
        .link_count = 2,
        .write = write_body,
        .context = (void *)(uintptr_t)l,
        .data = data_of,
        .scripts = scripts,
    };
    return frame_write(&f, path, e);
}
