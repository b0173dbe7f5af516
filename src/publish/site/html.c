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
#include "publish/site/data.h"
#include "publish/site/frame.h"
#include "publish/site/vector_page.h"

struct page {
    const struct report *report;
    struct origin origin;
    struct doc_folds folds; /* what the sections leave for the script */
};

/* The list of compilers is an object {name: version} or an array of {cc, version}. */
static void write_compilers(const struct page *p, FILE *out)
{
    json_t *machine = json_object_get(p->report->results.machine, "machine");
    json_t *compilers = json_object_get(machine, "compilers"), *compiler;
    const char *cc, *between = "; built by ";
    size_t i;
    json_object_foreach(compilers, cc, compiler)
    {
        markup(out, "%s%s (%s)", between, cc, json_string_value(compiler));
        between = ", ";
    }
    json_array_foreach(compilers, i, compiler)
    {
        markup(out, "%s%s (%s)", between, record_text(compiler, "cc"),
               record_text(compiler, "version"));
        between = ", ";
    }
}

static void write_origin(const struct page *p, FILE *out)
{
    const struct origin *o = &p->origin;
    if (*o->label) markup(out, "%s, ", o->label);
    if (*o->slug) markup(out, "<code>%s</code>; ", o->slug);
    fputs("ulplab", out);
    if (*o->version) markup(out, " %s", o->version);
    if (*o->commit) markup(out, ", commit <code>%s</code>", o->commit);
    write_compilers(p, out);
}

static const char *machine_of(const struct page *p)
{
    return *p->origin.brand ? p->origin.brand : "an unnamed machine";
}

static void write_machine(const struct page *p, FILE *out)
{
    markup(out, *p->origin.core ? "<h1>%s, %s</h1>\n" : "<h1>%s</h1>\n", machine_of(p),
           p->origin.core);
    fputs("<p class=\"subtitle\">", out);
}

static void write_body(FILE *out, void *context)
{
    struct page *p = context;
    struct doc d = {.out = out, .html = true, .folds = &p->folds};
    write_machine(p, out);
    write_origin(p, out);
    fputs("</p>\n", out);
    for (const struct section *s = sections; s->id; s++) section_write(s, p->report, &d);
}

static json_t *data_of(void *context)
{
    struct page *p = context;
    return page_data(p->report, &p->folds);
}

int html_write(const char *folder, const char *into, double bar, char *path, size_t path_size,
               struct error *e)
{
    static const char *const scripts[] = {app_js, tables_js, NULL}, *const drawn[] = {charts_js,
                                                                                      NULL};
    struct report r;
    char title[200];
    snprintf(path, path_size, "%s/report.html", into);
    int code = report_open(folder, NULL, 0, bar, &r, e);
    if (code) return code;
    struct page page = {&r, origin_of(&r.results), {json_array(), places_make()}};
    snprintf(title, sizeof title, "%s", machine_of(&page));
    struct frame f = {
        .title = title,
        .without =
            "charts, filters and the longest tables are missing. report.md beside this page has "
            "the answer; <code>ulplab export DIR --format csv</code> writes every row.",
        .write = write_body,
        .context = &page,
        .data = data_of,
        .scripts = scripts,
        .drawn = drawn,
    };
    for (const struct section *s = sections; s->id; s++)
        if (s->nav && *s->nav && section_has_records(s, &r))
            f.links[f.link_count++] = (struct frame_link){s->id, s->nav};
    code = frame_write(&f, path, e);
    if (!code) code = vector_page_write(&r, into, e);
    report_close(&r);
    return code;
}
