// SPDX-License-Identifier: MIT
#include "publish/sections/sections.h"

enum { PAGE_ONLY = false, BOTH = true };

#define SECTION(id, title, nav, where) {#id, title, nav, where, sql_section_##id},
const struct section sections[] = {
#include "publish/sections/sections.list"
    {NULL, NULL, NULL, false, NULL}};

bool section_write(const struct section *s, const struct report *r, const struct doc *d)
{
    return query_section(d, &r->db, s->id, s->title, "", s->sql);
}
