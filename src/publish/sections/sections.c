#include "publish/sections/sections.h"

#include <string.h>

enum { PAGE_ONLY = false, BOTH = true };

#define SECTION(id, title, nav, where) extern const char sql_section_##id[];
#include "publish/sections/sections.list"
#undef SECTION

#define SECTION(id, title, nav, where) {#id, title, nav, where, sql_section_##id, NULL},
const struct section sections[] = {
#include "publish/sections/sections.list"
    {NULL, NULL, NULL, false, NULL, NULL}};

static void (*written(const struct section *s))(const struct report *, struct doc *)
{
    return !strcmp(s->id, "answer")   ? section_answer
           : !strcmp(s->id, "policy") ? section_policies
                                      : NULL;
}

sqlite3_stmt *section_ask(const struct report *r, struct doc *d, const char *sql)
{
    sqlite3_stmt *s = NULL;
    struct error e;
    if (lab_prepare(&r->db, sql, &s, &e)) doc_text(d, "%s", e.text);
    return s;
}

bool section_has_records(const struct section *s, const struct report *r)
{
    return written(s) || query_has_rows(&r->db, s->sql, !s->in_markdown);
}

void section_write(const struct section *s, const struct report *r, struct doc *d)
{
    if (!section_has_records(s, r)) return;
    doc_section(d, s->id, s->title);
    if (written(s))
        written(s)(r, d);
    else
        query_write(d, &r->db, s->sql);
    doc_section_end(d);
}
