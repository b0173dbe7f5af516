// SPDX-License-Identifier: MIT
/* report.md, and its first lines for a terminal. */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/sections/report.h"
#include "publish/sections/sections.h"

/* Code forges render files up to a limited size. After ROWS_UNTIL bytes the rows of tables are
 * counted instead of written, which leaves enough room for the text of all sections. */
enum { ROWS_UNTIL = 96000 };
enum { ANSWER_LINES = 25 };

static void write_elsewhere(const struct report *r, FILE *out)
{
    fputs("## More\n\n`ulplab report FOLDER --format html` writes report.html, with charts, the "
          "times and errors of every variant, and the sections below. `ulplab export FOLDER "
          "--format csv` writes every row. FOLDER is the folder of this run's records.\n\n",
          out);
    for (const struct section *s = sections; s->id; s++)
        if (!s->in_markdown && query_has_rows(&r->db, s->sql, true))
            fprintf(out, "- %s\n", s->title);
    putc('\n', out);
}

int report_write(const struct report *r, const char *into, char *path, size_t path_size,
                 struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    snprintf(path, path_size, "%s/report.md", into);
    struct doc d = {.out = memory_text(&text, &size), .most_bytes = ROWS_UNTIL};
    fprintf(d.out, "# ulplab on %s\n\n", r->title);
    query_write(&d, &r->db, sql_section_head);
    for (const struct section *s = sections; s->id; s++)
        if (s->in_markdown) section_write(s, r, &d);
    write_elsewhere(r, d.out);
    memory_text_close(d.out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

char *report_answer(const struct report *r, size_t columns)
{
    char *text = NULL, *shown = NULL;
    size_t size = 0;
    const struct doc d = {.out = memory_text(&text, &size),
                          .terminal = &(struct terminal){.columns = columns}};
    query_write(&d, &r->db, sections[0].sql); /* the answer */
    memory_text_close(d.out);
    FILE *out = memory_text(&shown, &size);
    write_lines(out, text, ANSWER_LINES);
    memory_text_close(out);
    free(text);
    return shown;
}
