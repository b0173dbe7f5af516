// SPDX-License-Identifier: MIT
#include "publish/policy/policy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/render/rows.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"

static int policy_put_words(const struct lab_db *l, const char *option, const char *const *words,
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
    if (!code) code = policy_put_words(l, "require", c->require, c->require_count, e);
    if (!code) code = policy_put_words(l, "allow", c->allow, c->allow_count, e);
    return code ? code : lab_run(l, e, sql_policy, "");
}

/* Writes the table `emitted`. */
static int write_emitted(const struct lab_db *l, FILE *out, struct error *e)
{
    char *text = lab_text(l, "SELECT text FROM emitted", e);
    if (!text) return EXIT_BAD_INPUT;
    fputs(text, out);
    free(text);
    return 0;
}

static void write_document(json_t *document, FILE *out)
{
    json_dumpf(document, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(document);
}

int policies_emit(const struct lab_db *l, const char *format, FILE *out, struct error *e)
{
    int code = lab_run(l, e, sql_paste, "");
    if (!code) code = lab_run(l, e, sql_policy_paste, "t", format);
    if (code) return code;
    if (strcmp(format, "json") != 0) return write_emitted(l, out, e);
    json_t *advice = rows_document(l, sql_policy_emit, e);
    if (!advice) return EXIT_BAD_INPUT;
    write_document(advice, out);
    return 0;
}

static int flags_write(json_t *sets, const char *format, FILE *out, struct error *e)
{
    struct lab_db l;
    json_t *document = json_pack("{s:s, s:o}", "format", format, "sets", sets);
    int code = judge_open(&l, document, sql_paste, e);
    json_decref(document);
    if (code) return code;
    code = lab_run(&l, e, sql_flags_paste, "");
    if (!code) code = write_emitted(&l, out, e);
    lab_close(&l);
    return code;
}

int flags_emit(const json_t *records, const char *format, FILE *out, struct error *e)
{
    json_t *sets = json_array(), *set;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)records, i, set)
    {
        if (!strcmp(record_text(set, "record"), "flag-set")) json_array_append(sets, set);
    }
    if (!json_array_size(sets)) {
        json_decref(sets);
        return fail(e, EXIT_GATE, "flags: --emit %s: no kernel was measured", format);
    }
    if (strcmp(format, "json") != 0) return flags_write(sets, format, out, e);
    write_document(sets, out);
    return 0;
}
