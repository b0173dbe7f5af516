// SPDX-License-Identifier: MIT
#include "publish/sql/found.h"

#include <stdlib.h>

#include "publish/db/functions.h"
#include "publish/sql/sql.h"

static int found_add(const struct lab_db *l, sqlite3_stmt *s, const char *list, size_t place,
                     const json_t *record, struct error *e)
{
    char *text = json_dumps(record, JSON_COMPACT | JSON_ENCODE_ANY);
    lab_bind(s, "tit", list, (int64_t)place, text);
    int code = lab_step(l, s, e);
    free(text);
    return code;
}

int found_load(const struct lab_db *l, json_t *document, struct error *e)
{
    const char *list;
    json_t *value, *record;
    size_t i;
    sqlite3_stmt *s = NULL;
    int code = lab_execute(l, sql_found, e);
    if (!code) code = lab_prepare(l, "INSERT INTO found VALUES(?, ?, ?)", &s, e);
    json_object_foreach(document, list, value)
    {
        if (!code && !json_is_array(value)) code = found_add(l, s, list, 0, value, e);
        json_array_foreach(value, i, record)
        {
            if (!code) code = found_add(l, s, list, i, record, e);
            json_array_set_new(value, i, json_null());
        }
    }
    sqlite3_finalize(s);
    return code;
}

int found_open(struct lab_db *l, json_t *document, struct error *e)
{
    int code = lab_connect(l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    db_functions_add(l);
    code = found_load(l, document, e);
    if (code) lab_close(l);
    return code;
}
