// SPDX-License-Identifier: MIT
#include "publish/policy/policy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/render/rows.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"

int policies_make(const struct lab_db *l, const struct policy_constraints *c, struct error *e)
{
    char *require = json_words(c->require, c->require_count),
         *allow = json_words(c->allow, c->allow_count);
    const int code = lab_run(l, e, sql_policy, "tdiitt", c->folder, c->max_ulp,
                             (int64_t)c->bar_given, (int64_t)c->no_broken_cases, require, allow);
    free(require);
    free(allow);
    return code;
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
