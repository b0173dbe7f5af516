// SPDX-License-Identifier: MIT
/* The policies for people, for programs, and as a piece of a build. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/db/columns.h"
#include "publish/policy/paste.h"
#include "publish/policy/policy.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

/* ---- For people ------------------------------------------------------------------------------ */

/* Prints each row's first column as a sentence. */
static int write_sentences(const struct lab_db *l, const char *sql, const char *end, FILE *out,
                           struct terminal terminal, size_t indent, struct error *e)
{
    while (*sql) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) return lab_failed(l, e);
        while (s && sqlite3_step(s) == SQLITE_ROW)
            write_prose(out, terminal, indent, "%s%s%s", indent > 2 ? "  " : "", column_text(s, 0),
                        end);
        sqlite3_finalize(s);
    }
    return 0;
}

enum { CC = 1, NAMES, COLUMNS_SHOWN = 13, VERDICT = 14, GROWTH };

static int write_lines(const struct lab_db *l, FILE *out, struct terminal terminal, struct error *e)
{
    static const struct column columns[COLUMNS_SHOWN] = {
        {"cc", false, 0},    {"policy", false, 0}, {"speed [95%]", true, 0}, {"overall", true, 3},
        {"error", true, 0},  {"lost", true, 0},    {"bits", true, 4},        {"isa", false, 2},
        {"cc", false, 2},    {"tail", false, 5},   {"threads", false, 5},    {"cases", true, 6},
        {"front", false, 1},
    };
    struct table table;
    sqlite3_stmt *s;
    size_t width = 0;
    int code = lab_prepare(l, sql_policy_lines, &s, e);
    if (code) return code;
    table_begin(&table, columns, COLUMNS_SHOWN);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *cells[COLUMNS_SHOWN];
        for (int i = 0; i < COLUMNS_SHOWN; i++) cells[i] = column_text(s, i + 1);
        table_add(&table, (enum tint)sqlite3_column_int(s, 0), cells);
        const size_t own = strlen(cells[0]) + strlen(cells[1]) + 1;
        if (own > width) width = own;
    }
    table_end(&table, out, terminal);
    fputc('\n', out);
    for (int growth = 0; growth < 2; growth++, sqlite3_reset(s))
        while (sqlite3_step(s) == SQLITE_ROW) {
            const char *cc = column_text(s, CC), *names = column_text(s, NAMES);
            if (!growth)
                write_prose(out, terminal, width + 4, "  %s %-*s  %s", cc,
                            (int)(width - strlen(cc) - 1), names, column_text(s, VERDICT));
            else if (*column_text(s, GROWTH))
                write_prose(out, terminal, 4, "  %s %s: the error that grows most is %s.", cc,
                            names, column_text(s, GROWTH));
        }
    sqlite3_finalize(s);
    return 0;
}

int policies_write(const struct lab_db *l, bool constrained, FILE *out, struct terminal terminal,
                   bool brief, struct error *e)
{
    static const char last[] =
        "SELECT iif((SELECT count(*) FROM recommended), 'Recommended: ', '') || why || '.' FROM "
        "advice";
    static const char fitting[] =
        "SELECT 'With the kernels that meet the constraints:' || (SELECT group_concat(' ' || op || "
        "'/' || algorithm, '') FROM policy_kernels k WHERE k.cc = j.cc AND k.policy = j.policy AND "
        "fits) FROM judged j JOIN recommended USING (place)";
    static const char flags[] =
        "SELECT 'Flags: ' || iif(flags = '', 'none to add', flags) FROM judged JOIN recommended "
        "USING (place)";
    int code = write_lines(l, out, terminal, e);
    if (!code) code = write_sentences(l, sql_policy_words, ".", out, terminal, 4, e);
    if (!code && !brief) {
        fputc('\n', out);
        code = write_sentences(l, sql_policy_scope, "", out, terminal, 2, e);
    }
    fputc('\n', out);
    if (!code) code = write_sentences(l, last, "", out, terminal, 0, e);
    if (!code && constrained) code = write_sentences(l, fitting, "", out, terminal, 2, e);
    if (!code && !brief) code = write_sentences(l, flags, "", out, terminal, 0, e);
    return code;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

json_t *policies_document(const struct lab_db *l, const char *folder, struct error *e)
{
    static const char head[] =
        "SELECT document -> '$.machine' AS \"machine:json\", max_ulp AS bar, (SELECT "
        "group_concat(op, ', ') FROM (SELECT op FROM policy_changes JOIN judged USING (cc, policy) "
        "WHERE op IS NOT NULL AND policy_changes.unit = 'ulp' AND policy = 'off' AND cc = (SELECT "
        "cc FROM judged ORDER BY place LIMIT 1) ORDER BY op)) AS ulp_over, EXISTS(SELECT 1 FROM "
        "cases) AS \"cases_measured:bool\", (SELECT why FROM advice) AS why, i.pairs AS "
        "\"identical_code.pairs\", i.median AS \"identical_code.median\", i.p90 AS "
        "\"identical_code.p90\", i.p95 AS \"identical_code.p95\", i.p99 AS "
        "\"identical_code.p99\", i.side_by_side AS \"identical_code.side_by_side:bool\" FROM runs "
        "r, asked JOIN identical i ON i.run = r.id";
    static const char losses[] =
        "SELECT v.id, l.lost, l.nan, l.inf, iif(l.scanned, 'scan', 'accuracy') AS over FROM losses "
        "l JOIN named v USING (variant) ORDER BY l.cc, l.policy, l.place";
    static const char recommended[] =
        "SELECT cc, policy, flags, (SELECT why FROM advice) AS why FROM judged JOIN recommended "
        "USING (place)";
    json_t *document = NULL, *first = rows_json(l, head, e), *lost = rows_json(l, losses, e);
    json_t *rows = rows_json(l, sql_policy_rows, e), *best = rows_json(l, recommended, e);
    if (first && lost && rows && best) {
        json_t *head_row = json_array_get(first, 0);
        document = record_document(json_incref(json_object_get(head_row, "machine")));
        json_object_update(document, head_row);
        json_object_set_new(document, "folder", json_string(folder));
        json_object_set(document, "losses", lost);
        json_object_set(document, "policies", rows);
        json_object_set(document, "recommended",
                        json_array_size(best) ? json_array_get(best, 0) : json_null());
        if (!json_is_string(json_object_get(document, "ulp_over")))
            json_object_set_new(document, "ulp_over", json_string(""));
    }
    json_decref(first);
    json_decref(lost);
    json_decref(rows);
    json_decref(best);
    return document;
}

/* ---- A piece of a build ---------------------------------------------------------------------- */

static int emit_json(const struct lab_db *l, const char *folder, FILE *out, struct error *e)
{
    json_t *rows = rows_json(
        l,
        "SELECT 1 AS schema, cc, policy, iif(flags = '', '[]', '[\"' || replace(flags, ' ', "
        "'\",\"') || '\"]') AS \"flags:json\", (SELECT why FROM advice) AS why, '' AS "
        "\"from.folder\", m.slug AS \"from.machine\", r.\"commit\" AS \"from.commit\", "
        "nullif(r.started, '') AS \"from.started\" FROM judged JOIN recommended USING (place), "
        "runs r JOIN machines m ON m.id = r.machine",
        e);
    if (!rows) return EXIT_BAD_INPUT;
    json_t *document = json_array_get(rows, 0);
    json_object_set_new(json_object_get(document, "from"), "folder", json_string(folder));
    json_dumpf(document, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(rows);
    return 0;
}

/* Writes the comment that stands beside the flags; the statement stands at the advice. */
static void write_comment(sqlite3_stmt *s, const char *folder, FILE *out)
{
    fprintf(out, "# %s %s, chosen by ulplab policy from %s%s\n# %s\n# Measured at -O3%s\n",
            column_text(s, 1), column_text(s, 2), folder, column_text(s, 5), column_text(s, 0),
            sqlite3_column_int(s, 4)
                ? "."
                : "; compile lines only: on a link line it changes the whole process.");
    if (!*column_text(s, 3))
        fputs("# No flag: this is what the compiler does under -std=gnu11 where nothing is said;\n"
              "# under -std=c11 gcc contracts nothing.\n",
              out);
}

int policies_emit(const struct lab_db *l, const char *folder, const char *format, FILE *out,
                  struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(
        l,
        "SELECT why, cc, policy, flags, safe, ' (' || m.slug || '), ulplab ' || b.version || ' "
        "commit ' || iif(r.\"commit\" = '', 'unknown', r.\"commit\") || ', ' || iif(r.started = "
        "'', 'of an unknown date', r.started) FROM advice, runs r JOIN machines m ON m.id = "
        "r.machine JOIN builds b ON b.id = r.build LEFT JOIN (SELECT * FROM judged JOIN "
        "recommended USING (place))",
        &s, e);
    if (code) return code;
    if (sqlite3_step(s) != SQLITE_ROW || !*column_text(s, 1)) {
        code = fail(e, EXIT_GATE, "policy: --emit %s: %s; loosen the constraints", format,
                    column_text(s, 0));
    } else if (!strcmp(format, "json")) {
        code = emit_json(l, folder, out, e);
    } else {
        const struct paste paste = {column_text(s, 1), "-O3", column_text(s, 3), NULL};
        char *text = NULL;
        size_t size = 0;
        FILE *lines = memory_text(&text, &size);
        code = paste_write(&paste, format, lines, e);
        memory_text_close(lines);
        if (!code) write_comment(s, folder, out), fputs(text, out);
        free(text);
    }
    sqlite3_finalize(s);
    return code;
}
