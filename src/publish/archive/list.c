// SPDX-License-Identifier: MIT
/* The runs of an archive that a selector names. */
#include <stdlib.h>

#include "publish/archive/archive.h"

int archive_choose(const struct lab_db *l, const char *selector, struct error *e)
{
    int64_t *runs = NULL;
    size_t count = 0;
    int code = lab_select(l, selector, &runs, &count, e);
    if (!code)
        code = lab_execute(
            l,
            "CREATE TEMP TABLE chosen(place INTEGER PRIMARY KEY, run INTEGER); "
            "CREATE TEMP VIEW chosen_runs AS SELECT c.place, r.id, r.run, m.name AS machine, "
            "r.\"commit\", r.started, r.added, coalesce(r.finished = '', 0) AS cut, r.mode, "
            "r.bytes, (SELECT count(*) FROM cells WHERE blob = r.timing) AS cells FROM temp.chosen "
            "c JOIN runs r ON r.id = c.run JOIN machine_names m ON m.id = r.machine",
            e);
    for (size_t i = 0; !code && i < count; i++)
        code = lab_run(l, e, "INSERT INTO chosen VALUES(NULL, ?)", "i", runs[i]);
    free(runs);
    return code;
}
