// SPDX-License-Identifier: MIT
#include "publish/site/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/render/rows.h"
#include "publish/sections/sections.h"
#include "publish/site/assets.h"
#include "publish/site/frame.h"

/* The pages of all CPUs: a page's part about one CPU consists of sections of its report. */
static const struct topic {
    const char *file, *title, *sections[3];
} topics[TOPICS] = {
    {"flags.html", "Flags", {"flag_sets", "flags", "policy"}},
    {"compilers.html", "Compilers", {"compilers", "contraction"}},
    {"vector-math.html", "Vector math", {"vectors", "scan"}},
    {"cases.html", "Case studies", {"cases"}},
};

static const char without[] = "tables keep their order, and the search does not work.";

/* Writes a page of the site below its folder; frees the body and the data. of_cpu: it is in a CPU's
 * folder. */
static int site_write_page(const struct site *s, const char *file, const char *title, bool of_cpu,
                           char *body, json_t *data, struct error *e)
{
    char path[1300];
    struct frame f = {.title = title,
                      .without = without,
                      .links = {{of_cpu ? "../index.html" : "index.html", "All CPUs"}},
                      .body = body,
                      .data = data,
                      .scripts = {site_js}};
    if (of_cpu) f.links[1] = (struct frame_link){"report.html", "This CPU"};
    for (size_t i = 0; i < TOPICS && !of_cpu; i++)
        f.links[1 + i] = (struct frame_link){topics[i].file, topics[i].title};
    snprintf(path, sizeof path, "%s/%s", s->folder, file);
    return frame_write(&f, path, e);
}

int site_begin(struct site *s, const char *folder, struct error *e)
{
    *s = (struct site){.folder = folder};
    int code = folder_make(folder, e);
    if (!code) code = db_read(&s->index, NULL, 0, e);
    if (code) return code;
    for (size_t i = 0; i < TOPICS; i++)
        s->topics[i].out = memory_text(&s->topics[i].text, &s->topics[i].size);
    return lab_run(&s->index, e, site_tables_sql, "");
}

/* Writes vector-math.html if there is a whole scan. */
static int html_write_vectors(const struct report *r, const char *into, struct error *e)
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
                      {"legend", "Meaning of the columns"},
                      {"report.html", "The report"}},
            .body = memory_copy(vectors_html),
            .data = data,
            .scripts = {vectors_js},
            .drawn = vectors_chart_js,
        },
        path, e);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static const struct section *find_section(const char *id)
{
    const struct section *s = sections;
    while (s->id && strcmp(s->id, id) != 0) s++;
    return s;
}

/* Takes the run and its operations into the index; *slug is its CPU's. */
static int add_to_index(struct site *s, const struct report *r, char slug[64], struct error *e)
{
    static const char latest[] = "SELECT slug FROM temp.site_runs ORDER BY place DESC LIMIT 1";
    json_t *found = rows_document(&r->db, site_run_sql, e);
    if (!found) return EXIT_BAD_INPUT;
    char *text = json_dumps(found, JSON_COMPACT);
    json_decref(found);
    int code = lab_run(&s->index, e, site_add_sql, "tt", text, r->title);
    free(text);
    if (code) return code;
    text = lab_text(&s->index, latest, e);
    snprintf(slug, 64, "%s", text ? text : "");
    free(text);
    return *slug ? 0 : EXIT_BAD_INPUT;
}

static int write_operation(const struct site *s, const struct report *r, const char *slug,
                           const char *op, struct error *e)
{
    char file[300], title[400];
    struct doc d = {.html = true, .still = true};
    char *body = NULL;
    size_t size = 0;
    int code = lab_run(&r->db, e, "DELETE FROM temp.asked_op; INSERT INTO temp.asked_op VALUES(?1)",
                       "t", op);
    if (code) return code;
    d.out = memory_text(&body, &size);
    query_write(&d, &r->db, sql_section_head);
    query_write(&d, &r->db, site_operation_sql);
    memory_text_close(d.out);
    snprintf(file, sizeof file, "%s/%s.html", slug, op);
    snprintf(title, sizeof title, "%s on %s", op, r->title);
    return site_write_page(s, file, title, true, body, NULL, e);
}

/* Writes the pages of the operations that no earlier run of the CPU has. */
static int write_operations(const struct site *s, const struct report *r, const char *slug,
                            struct error *e)
{
    static const char fresh[] = "SELECT op FROM temp.pages WHERE run = "
                                "(SELECT max(place) FROM temp.site_runs) ORDER BY place";
    sqlite3_stmt *row;
    int code = lab_execute(&r->db, "CREATE TEMP TABLE asked_op(op TEXT)", e);
    if (!code) code = lab_prepare(&s->index, fresh, &row, e);
    if (code) return code;
    while (!code && sqlite3_step(row) == SQLITE_ROW)
        code = write_operation(s, r, slug, column_text(row, 0), e);
    sqlite3_finalize(row);
    return code;
}

/* Writes the CPU's own page, of its first run. */
static int write_cpu(const struct site *s, const struct report *r, const char *slug,
                     struct error *e)
{
    char file[100], *body = NULL;
    size_t size = 0;
    const struct doc d = {.out = memory_text(&body, &size), .html = true, .still = true};
    query_write(&d, &r->db, sql_section_head);
    query_write(&d, &s->index, site_cpu_sql);
    for (const struct section *one = sections; one->id; one++)
        if (one->in_markdown) section_write(one, r, &d);
    memory_text_close(d.out);
    snprintf(file, sizeof file, "%s/report.html", slug);
    return site_write_page(s, file, r->title, true, body, NULL, e);
}

/* Adds the run to each topic that no earlier run of its CPU covers. */
static int add_to_topics(const struct site *s, const struct report *r, const char *slug,
                         struct error *e)
{
    int code = lab_run(&r->db, e, "UPDATE given SET root = ?1 || '/'", "t", slug);
    for (size_t i = 0; i < TOPICS && !code; i++) {
        const struct doc d = {.out = s->topics[i].out, .html = true, .still = true};
        char id[100], has[300];
        snprintf(has, sizeof has,
                 "SELECT count(*) FROM temp.topics WHERE topic = %zu AND slug = '%s'", i, slug);
        if (lab_number(&s->index, has)) continue;
        bool found = false;
        for (size_t k = 0; k < 3 && topics[i].sections[k]; k++) {
            const struct section *one = find_section(topics[i].sections[k]);
            char title[400];
            snprintf(id, sizeof id, "%s-%s", slug, one->id);
            snprintf(title, sizeof title, "%s: %s", r->title, one->title);
            found |= query_section(&d, &r->db, id, title, "", one->sql);
        }
        if (found)
            code = lab_run(&s->index, e, "INSERT INTO temp.topics VALUES(?1, ?2)", "it", (int64_t)i,
                           slug);
    }
    return code;
}

int site_add(struct site *s, const struct report *r, struct error *e)
{
    char slug[64], folder[1200], has[200];
    int code = add_to_index(s, r, slug, e);
    if (code) return code;
    snprintf(folder, sizeof folder, "%s/%s", s->folder, slug);
    code = folder_make(folder, e);
    if (!code) code = write_operations(s, r, slug, e);
    snprintf(has, sizeof has, "SELECT count(*) FROM temp.site_runs WHERE slug = '%s'", slug);
    if (!code && lab_number(&s->index, has) == 1) code = write_cpu(s, r, slug, e);
    snprintf(has, sizeof has, "SELECT count(*) FROM temp.topics WHERE topic = 2 AND slug = '%s'",
             slug);
    if (!code && !lab_number(&s->index, has)) code = html_write_vectors(r, folder, e);
    return code ? code : add_to_topics(s, r, slug, e);
}

/* ---- All CPUs -------------------------------------------------------------------------------- */

int site_add_page(struct site *s, const char *file, const char *title, struct error *e)
{
    return lab_run(&s->index, e, "INSERT INTO temp.others VALUES(?1, ?2)", "tt", file, title);
}

static int write_topic(struct site *s, size_t i, struct error *e)
{
    struct site_topic *t = &s->topics[i];
    memory_text_close(t->out);
    t->out = NULL;
    if (!*t->text)
        fputs("<p>None of these runs has any.</p>", t->out = memory_text(&t->text, &t->size));
    if (t->out) memory_text_close(t->out);
    t->out = NULL;
    char *body = t->text;
    t->text = NULL;
    int code = site_add_page(s, topics[i].file, topics[i].title, e);
    if (!code) return site_write_page(s, topics[i].file, topics[i].title, false, body, NULL, e);
    free(body);
    return code;
}

static int write_index(const struct site *s, struct error *e)
{
    char *body = NULL;
    size_t size = 0;
    json_t *data;
    int code = columns_json(&s->index, site_page_sql, &data, e);
    if (code) return code;
    const struct doc d = {.out = memory_text(&body, &size), .html = true, .still = true};
    fputs(site_html, d.out);
    query_write(&d, &s->index, site_index_sql);
    memory_text_close(d.out);
    return site_write_page(s, "index.html", "SIMD numerics: speed, error, bits", false, body, data,
                           e);
}

int site_end(struct site *s, int code, struct error *e)
{
    for (size_t i = 0; i < TOPICS && !code; i++) code = write_topic(s, i, e);
    if (!code) code = write_index(s, e);
    for (size_t i = 0; i < TOPICS; i++) {
        if (s->topics[i].out) memory_text_close(s->topics[i].out);
        free(s->topics[i].text);
    }
    lab_close(&s->index);
    return code;
}

/* ---- The pages of one run ------------------------------------------------------------------- */

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
