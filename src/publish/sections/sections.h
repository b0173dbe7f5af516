// SPDX-License-Identifier: MIT
/* The sections of reports: each a query, rendered as Markdown or HTML (render/query.h). */
#ifndef ULPLAB_SECTIONS_H
#define ULPLAB_SECTIONS_H

#include "publish/render/query.h"
#include "publish/sections/report.h"

struct section {
    const char *id, *title;
    const char *nav;  /* its name in the page's navigation; NULL: none */
    bool in_markdown; /* report.md has it; the page has all */
    const char *sql;
};

#define SECTION(id, title, nav, where) extern const char sql_section_##id[];
#include "publish/sections/sections.list"
#undef SECTION
extern const char sql_section_head[];   /* before all sections */
extern const char sql_section_trial[];  /* the answer of `ulplab try`, of trial(document) */
extern const struct section sections[]; /* in their order (sections.list); ends with a NULL id */

/* Writes the section, where it has anything to show. Returns whether it has. */
bool section_write(const struct section *, const struct report *, const struct doc *);

#endif
