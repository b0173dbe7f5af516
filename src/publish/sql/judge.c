// SPDX-License-Identifier: MIT
#include "publish/sql/judge.h"

#include <stdlib.h>

#include "publish/db/functions.h"
#include "publish/sql/sql.h"

/* Opens a database with the tables of harm.sql. allow: words of --allow, an array; or NULL. */
static int open_judge(struct lab_db *l, const json_t *rows, const char *base, const json_t *allow,
                      struct error *e)
{
    int code = lab_connect(l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    db_functions_add(l);
    char *its = json_dumps(rows, JSON_COMPACT), *words = json_dumps(allow, JSON_COMPACT);
    code = lab_run(l, e,
                   "CREATE TABLE accuracy(record TEXT); CREATE TABLE base(id TEXT);"
                   "CREATE TABLE allow(word TEXT); INSERT INTO base VALUES(?2);"
                   "INSERT INTO accuracy SELECT value FROM json_each(?1);"
                   "INSERT INTO allow SELECT value FROM json_each(?3)",
                   "ttt", its, base, words);
    free(its);
    free(words);
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

int judge_flags(const json_t *rows, const char *base, const json_t *allow, json_t **effects,
                struct error *e)
{
    struct lab_db l;
    int code = open_judge(&l, rows, base, allow, e);
    if (code) return code;
    code = take_object(&l, "SELECT json_group_object(id, json(fields)) FROM effect", effects, e);
    lab_close(&l);
    return code;
}

int judge_trial(json_t *document, struct error *e)
{
    struct lab_db l;
    json_t *facts = json_object_get(document, "facts"), *fields = NULL;
    json_t *rows = json_incref(json_object_get(facts, "accuracy"));
    const char *base = json_string_value(json_object_get(facts, "base"));
    int code = open_judge(&l, rows, base, json_object_get(facts, "allow"), e);
    if (code) {
        json_decref(rows);
        return code;
    }
    /* Each query reads the document, the rows of accuracy are a table. */
    json_object_del(facts, "accuracy");
    char *text = json_dumps(document, JSON_COMPACT);
    if (rows) json_object_set_new(facts, "accuracy", rows);
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
