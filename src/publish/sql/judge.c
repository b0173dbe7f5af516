// SPDX-License-Identifier: MIT
#include "publish/sql/judge.h"

#include <stdlib.h>

#include "publish/db/functions.h"
#include "publish/sql/sql.h"

/* Opens a database with the tables of harm.sql. */
static int open_judge(struct lab_db *l, const char *rows, const char *base, struct error *e)
{
    int code = lab_connect(l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    db_functions_add(l);
    code =
        lab_run(l, e,
                "CREATE TABLE accuracy(record TEXT); CREATE TABLE base(id TEXT);"
                "INSERT INTO base VALUES(?2); INSERT INTO accuracy SELECT value FROM json_each(?1)",
                "tt", rows, base);
    if (!code) code = lab_run(l, e, sql_harm, "");
    if (code) lab_close(l);
    return code;
}

/* Returns the object that a query gives. */
static int take_object(const struct lab_db *l, const char *sql, json_t **object, struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(l, sql, &s, e);
    if (code) return code;
    *object = NULL;
    if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
        *object = json_loads((const char *)sqlite3_column_text(s, 0), 0, NULL);
    if (!*object) code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

int judge_harm(const json_t *rows, const char *base, json_t **harm, struct error *e)
{
    struct lab_db l;
    char *text = json_dumps(rows, JSON_COMPACT);
    int code = open_judge(&l, text, base, e);
    free(text);
    if (code) return code;
    code = take_object(
        &l,
        "SELECT json_group_object(id, json_patch('{}', json_object('wrong', wrong, "
        "'changed', changed, 'flushed', flushed, 'what', what, 'family', family, "
        "'n', n, 'unit', unit, 'error', nullif(error, 9e999), 'of_base', of_base, 'worse', worse, "
        "'harmless', harmless, 'why', why))) FROM harm",
        harm, e);
    lab_close(&l);
    return code;
}

int judge_trial(json_t *document, struct error *e)
{
    struct lab_db l;
    json_t *facts = json_object_get(document, "facts"), *fields = NULL;
    char *rows = json_dumps(json_object_get(facts, "accuracy"), JSON_COMPACT);
    const char *base = json_string_value(json_object_get(facts, "base"));
    int code = open_judge(&l, rows, base, e);
    free(rows);
    if (code) return code;
    char *text = json_dumps(document, JSON_COMPACT);
    code =
        lab_run(&l, e, "CREATE TABLE trial(document TEXT); INSERT INTO trial VALUES(?)", "t", text);
    free(text);
    if (!code) code = lab_run(&l, e, sql_judge, "");
    if (!code) code = take_object(&l, "SELECT fields FROM judged", &fields, e);
    lab_close(&l);
    if (fields) json_object_update(document, fields);
    json_decref(fields);
    return code;
}
