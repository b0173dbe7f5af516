#include "publish/sections/report.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/render/for_terminal.h"
#include "publish/sections/sections.h"

static void name_machine(struct report *r)
{
    struct error e;
    sqlite3_stmt *s;
    snprintf(r->brand, sizeof r->brand, "an unnamed machine");
    if (lab_prepare(&r->db, "SELECT brand FROM machines WHERE brand <> ''", &s, &e)) return;
    if (sqlite3_step(s) == SQLITE_ROW) snprintf(r->brand, sizeof r->brand, "%s", column_text(s, 0));
    sqlite3_finalize(s);
}

int report_open(const char *folder, double bar, struct report *r, struct error *e)
{
    const struct policy_constraints usual = {.max_ulp = bar};
    *r = (struct report){.bar = bar};
    int code = db_read(&r->db, &folder, 1, e);
    if (code) return code;
    code = facts_make(&r->db, bar, e);
    if (!code) code = policies_make(&r->db, &usual, e);
    if (code == EXIT_USAGE) code = 0; /* where there is nothing to choose from there are none */
    if (code)
        report_close(r);
    else
        name_machine(r);
    return code;
}

void report_close(struct report *r)
{
    lab_close(&r->db);
}

/* ---- report.md ---------------------------------------------------------------------------------
 */

/* Code forges render files of this size. From ROWS_UNTIL on the rows of tables are counted instead
 * of written; what is left is more than enough for the words of all sections. */
enum { ROWS_UNTIL = 96000 };
enum { ANSWER_LINES = 25 };

static void write_title(const struct report *r, struct doc *d)
{
    static const char sql[] =
        "SELECT m.slug AS \"words|Machine `%s`; ulplab %s (%s); compilers: %s.\", b.version, "
        "b.\"commit\", (SELECT group_concat(key || ' (' || value || ')', ' ') FROM "
        "json_each(r.document, '$.machine.compilers')) FROM runs r JOIN machines m ON m.id = "
        "r.machine JOIN builds b ON "
        "b.id = r.build;"
        "SELECT 0 AS \"words|**This run did not end**: what it had not measured yet is missing "
        "below; `ulplab run --resume` goes on with it.\" FROM runs WHERE document ->> 'stamped' "
        "AND document ->> 'run' <> '' AND coalesce(document ->> 'finished', '') = ''";
    fprintf(d->out, "# ulplab on %s\n\n", r->brand);
    query_write(d, &r->db, sql);
}

static void write_elsewhere(const struct report *r, struct doc *d)
{
    doc_section(d, "elsewhere", "Where the rest is");
    doc_text(d,
             "`ulplab report FOLDER --format html` writes report.html, with charts, the times and "
             "errors of every variant, and the sections below. `ulplab export FOLDER --format csv` "
             "writes every row. FOLDER is the one of this run's records.");
    doc_list(d);
    for (const struct section *s = sections; s->id; s++)
        if (!s->in_markdown && section_has_records(s, r)) doc_item(d, "%s", s->title);
    doc_list_end(d);
    doc_section_end(d);
}

int report_write(const char *folder, const char *into, double bar, char *path, size_t path_size,
                 struct error *e)
{
    struct report r;
    char *text = NULL;
    size_t size = 0;
    snprintf(path, path_size, "%s/report.md", into);
    int code = report_open(folder, bar, &r, e);
    if (code) return code;
    struct doc d = {.out = memory_text(&text, &size), .most_bytes = ROWS_UNTIL};
    write_title(&r, &d);
    for (const struct section *s = sections; s->id; s++)
        if (s->in_markdown) section_write(s, &r, &d);
    write_elsewhere(&r, &d);
    memory_text_close(d.out);
    code = file_write_atomic(path, text, size, e);
    free(text);
    report_close(&r);
    return code;
}

int report_print_answer(const char *folder, FILE *out, size_t columns, struct error *e)
{
    struct report r;
    char *text = NULL;
    size_t size = 0;
    int code = report_open(folder, advice_bar, &r, e);
    if (code) return code;
    struct doc d = {.out = memory_text(&text, &size)};
    query_write(&d, &r.db, sections[0].sql); /* the answer */
    memory_text_close(d.out);
    write_for_terminal(out, (struct terminal){.columns = columns}, ANSWER_LINES, text);
    free(text);
    report_close(&r);
    return 0;
}
