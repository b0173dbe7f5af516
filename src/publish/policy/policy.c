// SPDX-License-Identifier: MIT
#include "publish/policy/policy.h"

#include <string.h>

#include "model/record.h"
#include "publish/policy/paste.h"
#include "publish/render/rows.h"
#include "publish/sql/facts.h"
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

/* Writes the flags of the whole build, for its C and its C++. */
static void emit_both(const char *cc, const char *words, const char *format, FILE *out)
{
    paste_write(&(struct paste){cc, "-O3", words, NULL, false}, format, out);
    if (strcmp(format, "bazel") != 0)
        paste_write(&(struct paste){cc, "-O3", words, NULL, true}, format, out);
}

int policies_emit(const struct lab_db *l, const char *format, FILE *out, struct error *e)
{
    int code = paste_check(format, e);
    json_t *advice = code ? NULL : rows_document(l, sql_policy_emit, e);
    if (!advice) return code ? code : EXIT_BAD_INPUT;
    const char *cc = record_text(advice, "cc"), *words = record_text(advice, "words");
    /* Lines for CMake and Meson test which compiler it is: those of several stand together. */
    const bool by_name = !strcmp(format, "cmake") || !strcmp(format, "meson");
    const json_t *other;
    size_t i;
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
        emit_both(cc, words, format, out);
        json_array_foreach(json_object_get(advice, "others"), i, other)
        {
            fprintf(out, "# With %s: %s, the most conservative within 2%% of its fastest%s\n",
                    record_text(other, "cc"), record_text(other, "policy"),
                    by_name ? "." : ", instead of the lines above:");
            if (by_name)
                emit_both(record_text(other, "cc"), record_text(other, "words"), format, out);
            else
                fprintf(out, "#   -O3 %s\n", record_text(other, "words"));
        }
    }
    json_decref(advice);
    return code;
}
