#include "publish/site/vector_page.h"

#include "publish/load/origin.h"
#include "publish/render/markup.h"
#include "publish/site/assets.h"
#include "publish/site/frame.h"
#include "publish/site/vector_data.h"

static const char *machine_of(const struct report *r)
{
    struct origin o = origin_of(&r->results);
    return *o.brand ? o.brand : "an unnamed machine";
}

static void write_body(FILE *out, void *context)
{
    markup(out, "<h1>Vector math on %s</h1>\n", machine_of(context));
    fputs(vectors_html, out);
}

static json_t *data_of(void *context)
{
    const struct report *r = context;
    return vector_data(&r->vectors, r->summaries.bar);
}

int vector_page_write(const struct report *r, const char *folder, struct error *e)
{
    static const char *const scripts[] = {vectors_js, NULL}, *const drawn[] = {vectors_chart_js,
                                                                               NULL};
    char path[1100], title[200];
    if (!r->vectors.count) return 0;
    snprintf(path, sizeof path, "%s/vector-math.html", folder);
    snprintf(title, sizeof title, "vector math on %s", machine_of(r));
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
