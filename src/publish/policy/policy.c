// SPDX-License-Identifier: MIT
#include "publish/policy/policy.h"

#include <string.h>

#include "model/record.h"
#include "publish/policy/paste.h"
#include "publish/render/rows.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

static int put_words(const struct lab_db *l, const char *option, const char *const *words,
                     size_t count, struct error *e)
{
    int code = 0;
    for (size_t i = 0; !code && i < count; i++)
        code = lab_run(l, e, "INSERT INTO wish_words VALUES(?, ?)", "tt", option, words[i]);
    return code;
}

int policies_make(const struct lab_db *l, const struct policy_constraints *c, struct error *e)
{
    int code =
        lab_run(l, e,
                "CREATE TEMP TABLE wishes(folder TEXT, max_ulp REAL, bar_given INTEGER, "
                "no_broken_cases INTEGER); "
                "CREATE TEMP TABLE wish_words(option TEXT, word TEXT); "
                "INSERT INTO wishes VALUES(?, ?, ?, ?)",
                "tdii", c->folder, c->max_ulp, (int64_t)c->bar_given, (int64_t)c->no_broken_cases);
    if (!code) code = put_words(l, "require", c->require, c->require_count, e);
    if (!code) code = put_words(l, "allow", c->allow, c->allow_count, e);
    if (!code) code = lab_execute(l, sql_gains, e);
    return code ? code : lab_run(l, e, sql_policy, "");
}

int policies_emit(const struct lab_db *l, const char *format, FILE *out, struct error *e)
{
    int code = paste_check(format, e);
    json_t *advice = code ? NULL : rows_document(l, sql_policy_emit, e);
    if (!advice) return code ? code : EXIT_BAD_INPUT;
    const char *cc = record_text(advice, "cc"), *words = record_text(advice, "words");
    if (!*cc) {
        code = fail(e, EXIT_GATE, "policy: --emit %s: %s; loosen the constraints", format,
                    record_text(advice, "why"));
    } else if (!strcmp(format, "json")) {
        json_object_del(advice, "comment");
        json_object_del(advice, "words");
        json_dumpf(advice, out, JSON_INDENT(1));
        fputc('\n', out);
    } else {
        fputs(record_text(advice, "comment"), out);
        paste_write(&(struct paste){cc, "-O3", words, NULL}, format, out);
    }
    json_decref(advice);
    return code;
}
