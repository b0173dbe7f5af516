// SPDX-License-Identifier: MIT
#include "publish/sections/trial.h"

#include <stdlib.h>

#include "publish/db/functions.h"

int trial_write(const json_t *document, const struct doc *d, struct error *e)
{
    struct lab_db l;
    int code = lab_connect(&l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    char *text = json_dumps(document, JSON_COMPACT);
    db_functions_add(&l);
    code =
        lab_run(&l, e, "CREATE TABLE trial(document TEXT); INSERT INTO trial VALUES(?)", "t", text);
    free(text);
    if (!code) query_write(d, &l, sql_section_trial);
    lab_close(&l);
    return code;
}
