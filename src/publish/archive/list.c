// SPDX-License-Identifier: MIT
/* The runs of an archive that a selector names. */
#include <stdlib.h>

#include "model/record.h"
#include "publish/archive/archive.h"

/* Only its machine.json says whether a run ended. */
static int is_cut(const struct lab_db *l, int64_t run, bool *cut, struct error *e)
{
    char *text;
    size_t size;
    int code = lab_read(l, run, "machine.json", &text, &size, e);
    json_t *machine = text ? json_loadb(text, size, 0, NULL) : NULL;
    *cut = record_run_is_cut(machine);
    json_decref(machine);
    free(text);
    return code;
}

int archive_choose(const struct lab_db *l, const char *selector, struct error *e)
{
    int64_t *runs = NULL;
    size_t count = 0;
    int code = lab_select(l, selector, &runs, &count, e);
    if (!code)
        code = lab_execute(
            l,
            "CREATE TEMP TABLE chosen(place INTEGER PRIMARY KEY, run INTEGER, cut INTEGER); "
            "CREATE TEMP VIEW chosen_runs AS SELECT c.place, c.cut, r.id, r.run, m.slug AS "
            "machine, "
            "r.\"commit\", r.started, r.mode, r.bytes, (SELECT count(*) FROM cells WHERE blob = "
            "r.timing) AS cells FROM temp.chosen c JOIN runs r ON r.id = c.run JOIN machines m ON "
            "m.id = r.machine",
            e);
    for (size_t i = 0; !code && i < count; i++) {
        bool cut;
        code = is_cut(l, runs[i], &cut, e);
        if (!code)
            code =
                lab_run(l, e, "INSERT INTO chosen VALUES(NULL, ?, ?)", "ii", runs[i], (int64_t)cut);
    }
    free(runs);
    return code;
}
