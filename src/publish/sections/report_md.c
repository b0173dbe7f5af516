// SPDX-License-Identifier: MIT
/* report.md, and its first lines for a terminal. */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/for_terminal.h"
#include "publish/sections/report.h"
#include "publish/sections/sections.h"

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

int report_write(const struct report *r, const char *into, char *path, size_t path_size,
                 struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    snprintf(path, path_size, "%s/report.md", into);
    struct doc d = {.out = memory_text(&text, &size), .most_bytes = ROWS_UNTIL};
    write_title(r, &d);
    for (const struct section *s = sections; s->id; s++)
        if (s->in_markdown) section_write(s, r, &d);
    write_elsewhere(r, &d);
    memory_text_close(d.out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

char *report_answer(const struct report *r, size_t columns)
{
    char *text = NULL, *shown = NULL;
    size_t size = 0;
    struct doc d = {.out = memory_text(&text, &size)};
    query_write(&d, &r->db, sections[0].sql); /* the answer */
    memory_text_close(d.out);
    FILE *out = memory_text(&shown, &size);
    write_for_terminal(out, (struct terminal){.columns = columns}, ANSWER_LINES, text);
    memory_text_close(out);
    free(text);
    return shown;
}
