// SPDX-License-Identifier: MIT
#include "publish/sections/flag_tables.h"

#include <string.h>

#include "publish/db/db.h"
#include "publish/sections/sections.h"

int flag_tables_print(const json_t *document, const json_t *records, FILE *out,
                      struct terminal terminal, struct error *e)
{
    static const char *const wanted[] = {"flags", "flag_sets"};
    struct report r = {.bar = advice_bar};
    const struct doc d = {.out = out, .terminal = &terminal};
    int code = db_read_records(&r.db, document, "flags.jsonl", records, e);
    if (code) return code;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (const struct section *s = sections; s->id; s++)
            if (!strcmp(s->id, wanted[i])) section_write(s, &r, &d);
    lab_close(&r.db);
    return 0;
}
