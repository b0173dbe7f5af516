#include "publish/site/vector_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/load/origin.h"
#include "publish/render/markup.h"
#include "publish/site/assets.h"
#include "publish/site/skeleton.h"
#include "publish/site/vector_data.h"

struct page {
    FILE *out;
    const struct report *report;
    const struct chart_library *library;
};

static void write_machine(void *context)
{
    const struct page *p = context;
    struct origin o = origin_of(&p->report->results);
    markup(p->out, "%s", *o.brand ? o.brand : "an unnamed machine");
}

static void write_style(void *context)
{
    const struct page *p = context;
    fwrite(report_css, 1, report_css_size, p->out);
    fwrite(vectors_css, 1, vectors_css_size, p->out);
}

static void write_no_chart(void *context)
{
    const struct page *p = context;
    if (!p->library->source) fputs(chart_library_notice, p->out);
}

static void write_scripts(void *context)
{
    const struct page *p = context;
    json_t *data = vector_data(&p->report->vectors, p->report->summaries.bar);
    skeleton_data(p->out, data);
    json_decref(data);
    skeleton_script(p->out, page_js, page_js_size);
    skeleton_script(p->out, filters_js, filters_js_size);
    skeleton_script(p->out, grid_js, grid_js_size);
    if (p->library->source) {
        skeleton_script(p->out, p->library->source, p->library->size);
        skeleton_script(p->out, drawing_js, drawing_js_size);
        skeleton_script(p->out, vectors_chart_js, vectors_chart_js_size);
    }
    skeleton_script(p->out, vectors_js, vectors_js_size);
}

static const struct skeleton_place places[] = {
    {"machine", write_machine}, {"style", write_style}, {"no-charts", write_no_chart},
    {"scripts", write_scripts}, {NULL, NULL},
};

int vector_page_write(const struct report *r, const struct chart_library *library,
                      const char *folder, struct error *e)
{
    char path[1100], *text = NULL;
    size_t size = 0;
    if (!r->vectors.count) return 0;
    snprintf(path, sizeof path, "%s/vector-math.html", folder);
    struct page page = {.out = memory_text(&text, &size), .report = r, .library = library};
    skeleton_write(page.out, vectors_html, vectors_html_size, places, &page);
    memory_text_close(page.out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
