// SPDX-License-Identifier: MIT
#include "publish/sql/judge.h"

#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/db/functions.h"
#include "publish/sql/sql.h"

int judge_open(struct lab_db *l, const json_t *document, const char *sql, struct error *e)
{
    int code = lab_connect(l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    char *text = json_dumps(document, JSON_COMPACT);
    record_blank_controls(text, strlen(text)); /* XML has none, and a terminal obeys them */
    db_functions_add(l);
    code =
        lab_run(l, e, "CREATE TABLE given(document TEXT); INSERT INTO given VALUES(?)", "t", text);
    free(text);
    if (!code) code = lab_run(l, e, sql, "");
    if (code) lab_close(l);
    return code;
}

/* Takes the object that a query gives. */
static int take_object(const struct lab_db *l, const char *sql, json_t **object, struct error *e)
{
    char *text = lab_text(l, sql, e);
    *object = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return *object ? 0 : EXIT_BAD_INPUT;
}

int judge_flags(const char *question, const json_t *document, json_t **answer, struct error *e)
{
    static const struct {
        const char *question, *sql, *answer;
    } questions[] = {
        {"effects", sql_harm, "SELECT json_group_object(id, json(fields)) FROM effect"},
        {"choice", sql_choice, "SELECT fields FROM choice"},
        {"sentence", sql_choice, "SELECT fields FROM sentence"},
    };
    struct lab_db l;
    size_t i = 0;
    while (strcmp(questions[i].question, question) != 0) i++;
    int code = judge_open(&l, document, questions[i].sql, e);
    if (code) return code;
    code = take_object(&l, questions[i].answer, answer, e);
    lab_close(&l);
    return code;
}

int judge_gate(const struct lab_db *l, struct error *e)
{
    return lab_run(l, e, "SELECT code, text FROM temp.gate LIMIT 1", "");
}

int judge_trial(const char *question, json_t *document, struct error *e)
{
    static const struct {
        const char *question, *sql, *then, *answer;
    } questions[] = {{"builds", sql_builds, "", "SELECT fields FROM builds"},
                     {"asked", sql_asked, "", "SELECT fields FROM asked"},
                     {"verdict", sql_harm, sql_judge, "SELECT fields FROM judged"}};
    struct lab_db l;
    json_t *fields = NULL;
    size_t i = 0;
    while (strcmp(questions[i].question, question) != 0) i++;
    int code = judge_open(&l, document, questions[i].sql, e);
    if (code) return code;
    code = lab_run(&l, e, questions[i].then, "");
    if (!code) code = take_object(&l, questions[i].answer, &fields, e);
    lab_close(&l);
    if (fields) json_object_update(document, fields);
    json_decref(fields);
    return code;
}
