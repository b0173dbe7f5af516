// SPDX-License-Identifier: MIT
#include "publish/site/html.h"

#include <stdlib.h>
#include <string.h>

#include "publish/db/columns.h"
#include "publish/render/markup.h"
#include "publish/sections/sections.h"
#include "publish/site/assets.h"
#include "publish/site/columns.h"
#include "publish/site/frame.h"
#include "publish/site/vector_page.h"

struct page {
    const struct report *report;
    struct doc_folds folds; /* what the sections leave for the script */
};

/* "BRAND, Zen 5", and "my-box, SLUG; ulplab 0.1.0, commit 0123; built by gcc-12 (12.2.0)". */
static void write_head(const struct report *r, FILE *out)
{
    static const char sql[] =
        "SELECT iif(m.label <> '', m.label || ', ', ''), m.slug, iif(b.version = '', '', ' ' || "
        "b.version), b.\"commit\", (SELECT group_concat(key || ' (' || value || ')', ', ') FROM "
        "json_each(r.document, '$.machine.compilers')), ', ' || microarchitecture(m.vendor, "
        "m.family, m.model, m.stepping) FROM runs r JOIN machines m ON m.id = r.machine JOIN "
        "builds b ON b.id = r.build";
    struct error e;
    sqlite3_stmt *s;
    if (lab_prepare(&r->db, sql, &s, &e)) return;
    if (sqlite3_step(s) == SQLITE_ROW) {
        const char *slug = column_text(s, 1), *commit = column_text(s, 3), *by = column_text(s, 4);
        markup(out, "<h1>%s%s</h1>\n<p class=\"subtitle\">", r->brand, column_text(s, 5));
        markup(out, "%s", column_text(s, 0));
        if (*slug) markup(out, "<code>%s</code>; ", slug);
        markup(out, "ulplab%s", column_text(s, 2));
        if (*commit) markup(out, ", commit <code>%s</code>", commit);
        markup(out, "%s%s</p>\n", *by ? "; built by " : "", by);
    }
    sqlite3_finalize(s);
}

static void write_body(FILE *out, void *context)
{
    struct page *p = context;
    struct doc d = {.out = out, .html = true, .folds = &p->folds};
    write_head(p->report, out);
    for (const struct section *s = sections; s->id; s++) section_write(s, p->report, &d);
}

static json_t *data_of(void *context)
{
    struct page *p = context;
    json_t *data = columns_of_queries(&p->report->db, report_page_sql);
    json_object_set_new(
        data, "folds",
        json_pack("{s:o, s:o}", "tables", p->folds.tables, "cells", places_end(&p->folds.cells)));
    return data;
}

int html_write(const struct report *r, const char *into, char *path, size_t path_size,
               struct error *e)
{
    static const char *const scripts[] = {app_js, tables_js, NULL}, *const drawn[] = {charts_js,
                                                                                      NULL};
    snprintf(path, path_size, "%s/report.html", into);
    struct page page = {r, {json_array(), places_make()}};
    struct frame f = {
        .title = r->brand,
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
        if (s->nav && *s->nav && section_has_records(s, r))
            f.links[f.link_count++] = (struct frame_link){s->id, s->nav};
    int code = frame_write(&f, path, e);
    return code ? code : vector_page_write(r, into, e);
}
