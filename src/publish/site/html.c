#include "publish/site/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/load/origin.h"
#include "publish/render/markup.h"
#include "publish/sections/sections.h"
#include "publish/site/assets.h"
#include "publish/site/chart_library.h"
#include "publish/site/data.h"
#include "publish/site/skeleton.h"
#include "publish/site/vector_page.h"

struct page {
    FILE *out;
    const struct report *report;
    struct origin origin;
    struct chart_library library;
    struct doc_folds folds; /* what the sections leave for the script */
};

/* ---- What stands in the places of index.html ---------------------------------------------------
 */

static void write_chart_library(void *context)
{
    struct page *p = context;
    if (p->library.source)
        markup(p->out, "Chart.js %s", p->library.version);
    else
        fputs("none", p->out);
}

static void write_machine(void *context)
{
    struct page *p = context;
    markup(p->out, "%s", *p->origin.brand ? p->origin.brand : "an unnamed machine");
}

static void write_style(void *context)
{
    struct page *p = context;
    fwrite(report_css, 1, report_css_size, p->out);
}

static void write_navigation(void *context)
{
    struct page *p = context;
    for (const struct section *s = sections; s->id; s++)
        if (s->nav && section_has_records(s, p->report))
            markup(p->out, "<a href=\"#%s\">%s</a>", s->id, s->nav);
}

/* The list of compilers is an object {name: version} or an array of {cc, version}. */
static void write_compilers(struct page *p)
{
    json_t *machine = json_object_get(p->report->results.machine, "machine");
    json_t *compilers = json_object_get(machine, "compilers"), *compiler;
    const char *cc, *between = "; built by ";
    size_t i;
    json_object_foreach(compilers, cc, compiler)
    {
        markup(p->out, "%s%s (%s)", between, cc, json_string_value(compiler));
        between = ", ";
    }
    json_array_foreach(compilers, i, compiler)
    {
        markup(p->out, "%s%s (%s)", between, record_text(compiler, "cc"),
               record_text(compiler, "version"));
        between = ", ";
    }
}

static void write_origin(void *context)
{
    struct page *p = context;
    const struct origin *o = &p->origin;
    if (*o->label) markup(p->out, "%s, ", o->label);
    if (*o->slug) markup(p->out, "<code>%s</code>; ", o->slug);
    fputs("ulplab", p->out);
    if (*o->version) markup(p->out, " %s", o->version);
    if (*o->commit) markup(p->out, ", commit <code>%s</code>", o->commit);
    write_compilers(p);
}

static void write_no_charts(void *context)
{
    struct page *p = context;
    if (!p->library.source) fputs(chart_library_notice, p->out);
}

static void write_sections(void *context)
{
    struct page *p = context;
    struct doc d = {.out = p->out, .html = true, .folds = &p->folds};
    for (const struct section *s = sections; s->id; s++) section_write(s, p->report, &d);
}

static void write_scripts(void *context)
{
    struct page *p = context;
    json_t *data = page_data(p->report, &p->folds);
    skeleton_data(p->out, data);
    json_decref(data);
    skeleton_script(p->out, page_js, page_js_size);
    skeleton_script(p->out, app_js, app_js_size);
    skeleton_script(p->out, tables_js, tables_js_size);
    if (!p->library.source) return;
    skeleton_script(p->out, p->library.source, p->library.size);
    skeleton_script(p->out, drawing_js, drawing_js_size);
    skeleton_script(p->out, charts_js, charts_js_size);
}

/* ---- The page ----------------------------------------------------------------------------------
 */

static const struct skeleton_place places[] = {
    {"chart-library", write_chart_library},
    {"machine", write_machine},
    {"style", write_style},
    {"navigation", write_navigation},
    {"origin", write_origin},
    {"no-charts", write_no_charts},
    {"sections", write_sections},
    {"scripts", write_scripts},
    {NULL, NULL},
};

int html_write(const char *folder, const char *into, double bar, char *path, size_t path_size,
               struct error *e)
{
    struct report r;
    char *text = NULL;
    size_t size = 0;
    snprintf(path, path_size, "%s/report.html", into);
    int code = report_open(folder, NULL, 0, bar, &r, e);
    if (code) return code;
    struct chart_library library;
    code = chart_library_find(&library, e);
    if (code) return report_close(&r), code;
    struct page page = {.out = memory_text(&text, &size),
                        .report = &r,
                        .origin = origin_of(&r.results),
                        .library = library,
                        .folds = {json_array(), places_make()}};
    skeleton_write(page.out, index_html, index_html_size, places, &page);
    memory_text_close(page.out);
    code = file_write_atomic(path, text, size, e);
    free(text);
    if (!code) code = vector_page_write(&r, &library, into, e);
    chart_library_free(&page.library);
    report_close(&r);
    return code;
}
