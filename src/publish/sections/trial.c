// SPDX-License-Identifier: MIT
#include "publish/sections/trial.h"

#include <stdlib.h>

#include "publish/db/functions.h"

int trial_write(const json_t *document, const struct doc *d, struct error *e)
{
    struct lab_db l;
    sqlite3_stmt *s;
    int code = lab_connect(&l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    char *text = json_dumps(document, JSON_COMPACT);
    db_functions_add(&l);
    code = lab_execute(&l, "CREATE TABLE trial(document TEXT)", e);
    if (!code) code = lab_prepare(&l, "INSERT INTO trial VALUES(?)", &s, e);
    if (!code) {
        lab_bind(s, "t", text);
        code = lab_step(&l, s, e);
        sqlite3_finalize(s);
    }
    free(text);
    if (!code) query_write(d, &l, sql_section_trial);
    lab_close(&l);
    return code;
}
