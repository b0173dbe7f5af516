// SPDX-License-Identifier: MIT
/* A comparison as text for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/compare/compare.h"
#include "publish/db/columns.h"
#include "publish/sql/sql.h"

static sqlite3_stmt *ask(const struct comparison *c, const char *sql)
{
    sqlite3_stmt *s = NULL;
    struct error ignored;
    lab_prepare(&c->l, sql, &s, &ignored);
    return s;
}

static void write_sides(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const char *const kinds[] = {[COMPARE_RUNS] = "runs of one machine",
                                        [COMPARE_AXIS] = "the values of one axis",
                                        [COMPARE_CPUS] = "CPUs (the machines differ)",
                                        [COMPARE_COMMITS] =
                                            "commits: the same ids, whatever their machine code"};
    write_prose(out, terminal, 2,
                "Comparison of %s%s%s; time of b over time of a, above 1 is slower.",
                kinds[c->kind], c->axis ? ": " : "", c->axis ? c->axis : "");
    sqlite3_stmt *s = ask(c, "SELECT s.name, s.folder || ' (' || coalesce(r.document ->> "
                             "'$.machine.slug', '') || '), ulplab ' || "
                             "coalesce(r.document ->> '$.tool.version', '') || ' commit ' || "
                             "coalesce(nullif(r.document ->> "
                             "'$.tool.commit', ''), 'unknown') || ', ' || "
                             "coalesce(nullif(r.document ->> 'started', ''), 'of an unknown "
                             "date'), ?1 AND s.run = lag(s.run) OVER (ORDER BY side) FROM "
                             "temp.compare_sides s JOIN runs r ON r.id = s.run "
                             "ORDER BY side");
    if (s) lab_bind(s, "i", (int64_t)(c->kind == COMPARE_AXIS));
    for (size_t i = 0; s && sqlite3_step(s) == SQLITE_ROW; i++) {
        const bool said = sqlite3_column_int(s, 2);
        write_prose(out, terminal, 6, "  %s = %s%s%s", i ? "b" : "a", column_text(s, 0),
                    said ? "" : ": ", said ? "" : column_text(s, 1));
    }
    sqlite3_finalize(s);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

struct text_table {
    char **cells; /* by row, then column */
    size_t rows, columns;
    const char *heads[24];
};

/* The rows of a query as texts; the query stays open for its heads. */
static struct text_table read_texts(sqlite3_stmt *s)
{
    struct text_table t = {.columns = (size_t)sqlite3_column_count(s)};
    size_t room = 0;
    for (size_t k = 0; k < t.columns; k++) t.heads[k] = sqlite3_column_name(s, (int)k);
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (t.rows == room)
            t.cells = memory_grow(t.cells, (room = 2 * room + 64) * t.columns * sizeof *t.cells);
        for (size_t k = 0; k < t.columns; k++)
            t.cells[t.rows * t.columns + k] = memory_copy(column_text(s, (int)k));
        t.rows++;
    }
    return t;
}

static void free_texts(struct text_table *t)
{
    for (size_t i = 0; i < t->rows * t->columns; i++) free(t->cells[i]);
    free(t->cells);
}

/* How a column is printed. said: a value that all rows share stands above the table instead. */
struct printed {
    bool right;
    int drop; /* which goes first where the terminal is narrow */
    bool said;
};

static bool is_constant(const struct text_table *t, size_t column)
{
    for (size_t i = 1; i < t->rows; i++)
        if (strcmp(t->cells[column], t->cells[i * t->columns + column]) != 0) return false;
    return true;
}

static enum tint tint_of(const char *verdict)
{
    return !strcmp(verdict, "faster")   ? TINT_GOOD
           : !strcmp(verdict, "slower") ? TINT_BAD
           : !strcmp(verdict, "~")      ? TINT_FAINT
                                        : TINT_NONE;
}

/* tint: the column that says a row's colour; SIZE_MAX: none. */
static void write_texts(const struct text_table *t, const struct printed *printed, size_t shown,
                        size_t tint, size_t gathered, FILE *out, struct terminal terminal)
{
    struct column columns[24];
    size_t chosen[24], count = 0;
    bool said = false;
    struct table table;
    for (size_t k = 0; k < t->columns; k++) {
        if (!printed[k].said || !is_constant(t, k)) {
            columns[count] = (struct column){t->heads[k], printed[k].right, printed[k].drop};
            chosen[count++] = k;
            continue;
        }
        if (!strcmp(t->cells[k], "*") || !*t->cells[k]) continue;
        fprintf(out, "%s%s: %s", said ? "; " : "In every row: ", t->heads[k], t->cells[k]);
        said = true;
    }
    if (said) fputs(".\n", out);
    table_begin(&table, columns, count);
    table.gathered = gathered;
    for (size_t i = 0; i < t->rows && i < shown; i++) {
        const char *cells[24];
        for (size_t k = 0; k < count; k++) cells[k] = t->cells[i * t->columns + chosen[k]];
        table_add(&table, tint == SIZE_MAX ? TINT_NONE : tint_of(t->cells[i * t->columns + tint]),
                  cells);
    }
    table_end(&table, out, terminal);
}

static void write_query(const struct comparison *c, const char *sql, const struct printed *printed,
                        FILE *out, struct terminal terminal)
{
    sqlite3_stmt *s = ask(c, sql);
    if (!s) return;
    struct text_table t = read_texts(s);
    if (t.rows) write_texts(&t, printed, t.rows, SIZE_MAX, 0, out, terminal);
    free_texts(&t);
    sqlite3_finalize(s);
}

static void write_means(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const struct printed printed[] = {
        {false, 0, false}, {false, 0, false}, {false, 0, false}, {true, 0, false},
        {true, 0, false},  {true, 0, false},  {true, 0, false},  {true, 0, false}};
    write_query(c,
                "SELECT t.name AS b, iif(op = '', 'all', op) AS operation, iif(level = '', 'all', "
                "level) AS \"in\", "
                "iif(low IS NULL, printf('%.3f [-]', ratio), printf('%.3f [%.3f, %.3f]', ratio, "
                "low, high)) AS \"b/a "
                "[95%]\", faster, slower, same, unknown AS \"~\" FROM temp.compare_means m JOIN "
                "temp.compare_sides t ON "
                "t.side = m.\"to\" ORDER BY m.rowid",
                printed, out, terminal);
}

static void write_rows(const struct comparison *c, FILE *out, struct terminal terminal)
{
    enum { VERDICT = 10 };
    static const struct printed printed[] = {
        {false, 0, true}, {false, 0, false}, {false, 0, true},  {false, 0, true},
        {false, 0, true}, {false, 0, true},  {false, 7, true},  {true, 5, false},
        {true, 0, false}, {true, 8, false},  {false, 0, false}, {false, 0, true},
        {true, 4, false}, {true, 4, true},   {true, 9, false},  {true, 6, false}};
    const bool cut = terminal.columns && c->rows > COMPARE_SCREEN_ROWS;
    sqlite3_stmt *s = ask(c, sql_compare_table);
    if (!s) return;
    lab_bind(s, "i", (int64_t)cut);
    struct text_table t = read_texts(s);
    write_texts(&t, printed, cut ? COMPARE_SCREEN_ROWS : t.rows, VERDICT, 0, out, terminal);
    if (cut)
        fprintf(out,
                "... and %zu rows that changed less: --filter narrows, a pipe or --json has all.\n",
                t.rows - COMPARE_SCREEN_ROWS);
    free_texts(&t);
    sqlite3_finalize(s);
}

/* Used where nothing was timed. A terminal shows only the rows that differ if there are many. */
static void write_accuracies(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const struct printed printed[] = {
        {false, 0, false}, {false, 0, false}, {false, 0, false}, {false, 0, false},
        {false, 0, false}, {false, 0, false}, {true, 0, false},  {true, 0, false},
        {true, 1, false},  {true, 0, false}};
    static const char sql[] =
        "SELECT t.name AS b, v.op || '/' || v.algorithm AS kernel, v.dtype, iif(p.axis IS 'isa', "
        "'*', v.isa) AS isa, "
        "iif(p.axis IS 'cc', '*', v.cc) AS cc, iif(p.axis IS 'policy', '*', v.policy) AS policy, "
        "error_text(e.max_ulp_a) || ' ' || error_text(e.max_ulp_b) AS \"max ulp a b\", "
        "iif(e.counted, e.lost_a || ' ' "
        "|| e.lost_b, '-') AS \"lost a b\", error_text(e.mean_ulp_a) || ' ' || "
        "error_text(e.mean_ulp_b) AS \"mean ulp a "
        "b\", CASE WHEN e.cells = 0 THEN '-' WHEN e.equal = e.cells THEN '=' ELSE e.equal || '/' "
        "|| e.cells END AS "
        "\"equal bits\" FROM temp.compare_accuracy e JOIN temp.compare_sides t ON t.side = "
        "e.\"to\" JOIN variants v ON "
        "v.id = e.kin, temp.compare_plan p WHERE e.\"from\" = 0 AND (NOT ?1 OR e.cells = 0 OR "
        "e.equal < e.cells) ORDER "
        "BY e.variant, e.\"to\"";
    const int64_t all =
        lab_number(&c->l, "SELECT count(*) FROM temp.compare_accuracy WHERE \"from\" = 0");
    const bool cut = terminal.columns && all > COMPARE_SCREEN_ROWS;
    sqlite3_stmt *s = ask(c, sql);
    if (!s) return;
    lab_bind(s, "i", (int64_t)cut);
    struct text_table t = read_texts(s);
    if (t.rows)
        write_texts(&t, printed, cut ? COMPARE_SCREEN_ROWS : t.rows, SIZE_MAX, 6, out, terminal);
    if (cut)
        write_prose(out, terminal, 2,
                    "... and %zu rows that differ, %zu with equal bits throughout: --filter "
                    "narrows, a pipe or --json has "
                    "all.",
                    t.rows > COMPARE_SCREEN_ROWS ? t.rows - COMPARE_SCREEN_ROWS : 0,
                    (size_t)all - t.rows);
    free_texts(&t);
    sqlite3_finalize(s);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Writes a sentence per row: what each side has beyond what is compared, and what a side loses that
 * the first computes, of the variant that loses most. */
static void write_sentences(const struct comparison *c, const char *sql, FILE *out,
                            struct terminal terminal)
{
    sqlite3_stmt *s = ask(c, sql);
    while (s && sqlite3_step(s) == SQLITE_ROW)
        write_prose(out, terminal, 2, "%s", column_text(s, 0));
    sqlite3_finalize(s);
}

static size_t count_of(const struct comparison *c, const char *sql)
{
    return (size_t)lab_number(&c->l, sql);
}

/* How far apart timings of identical code are in the first side's run. */
static void identical_text(const struct comparison *c, char *text, size_t size)
{
    sqlite3_stmt *s;
    struct error ignored;
    *text = '\0';
    if (lab_prepare(&c->l,
                    "SELECT text FROM temp.identical_words JOIN temp.compare_sides USING (run) "
                    "WHERE side = 0",
                    &s, &ignored))
        return;
    if (sqlite3_step(s) == SQLITE_ROW) snprintf(text, size, "%s", column_text(s, 0));
    sqlite3_finalize(s);
}

static void write_notes(const struct comparison *c, FILE *out, struct terminal terminal)
{
    const size_t too_few = count_of(
        c,
        "SELECT count(*) FROM temp.compare_rows WHERE why = 'too few processes for any verdict'");
    const size_t sided = count_of(c, "SELECT count(*) FROM temp.compare_rows WHERE sided");
    const size_t modes =
        count_of(c, "SELECT count(*) FROM temp.compare_rows WHERE flag = 'two-modes'");
    const size_t tied = count_of(c, "SELECT count(*) FROM temp.compare_rows WHERE tied");
    char identical[200];
    identical_text(c, identical, sizeof identical);
    if (sided)
        write_prose(out, terminal, 2,
                    "%zu of %zu rows were timed side by side. Ratio: the median of the majority of "
                    "the processes' ratios; "
                    "q: Student, Benjamini-Hochberg over all rows; means are geometric, formed "
                    "within a process, their "
                    "intervals over processes. %s",
                    sided, c->rows, identical);
    if (sided < c->rows)
        write_prose(out, terminal, 2,
                    "%s rows were not timed side by side. Ratio: Hodges-Lehmann over the "
                    "processes' medians; q: "
                    "Mann-Whitney, Benjamini-Hochberg over all rows; means are geometric, their "
                    "intervals as wide as if "
                    "all cells erred together.%s%s",
                    sided ? "The other" : "These", sided ? "" : " ", sided ? "" : identical);
    write_prose(out, terminal, 2,
                "faster, slower: q <= 0.05, more than %.3g%%, and more than identical code is "
                "apart; same: the whole "
                "interval within that margin; ~: the data cannot tell.",
                100 * c->margin);
    write_prose(out, terminal, 2,
                "ulp: family normal, inf where results are lost; bits: accuracy cells whose "
                "outputs are equal, = is all.");
    write_sentences(
        c,
        "SELECT t.name || ': ' || iif(max(0, nan_b - nan_a) >= lost_b - lost_a, 'NaN', 'NaN, or "
        "wrongly infinite or "
        "finite,') || ' for ' || grouped(lost_b - lost_a) || ' results of ' || variant || ' that ' "
        "|| f.name || ' computes; ' "
        "|| (variants - 1) || ' more variants lose results.' FROM (SELECT *, count(*) OVER side AS "
        "variants, row_number() "
        "OVER (PARTITION BY \"to\" ORDER BY lost_b - lost_a DESC, variant) AS place FROM "
        "temp.compare_accuracy WHERE "
        "\"from\" = 0 AND lost_b > lost_a WINDOW side AS (PARTITION BY \"to\")) JOIN "
        "temp.compare_sides t ON t.side = "
        "\"to\" JOIN temp.compare_sides f ON f.side = 0 WHERE place = 1 ORDER BY \"to\"",
        out, terminal);
    if (c->unlike)
        write_prose(out, terminal, 2,
                    "The errors of %zu accuracy cells are of different measures (docs/method.md, "
                    "\"Error measure\") and "
                    "are not compared; bits are. Measure both sides with one version.",
                    c->unlike);
    if (modes)
        write_prose(out, terminal, 2,
                    "%zu rows have two-modes: some processes took a multiple of the others' time; "
                    "time and ratio are the "
                    "majority's. %zu have no majority, and no ratio: means leave them out.",
                    modes, tied);
    if (too_few)
        write_prose(out, terminal, 2,
                    "%zu rows have too few processes for any verdict: bench --processes 5 or more.",
                    too_few);
    if (c->grids_differ)
        write_prose(out, terminal, 2,
                    "The folders were measured on different grids; the common cells are compared.");
    write_sentences(c,
                    "SELECT 'Not compared, of ' || iif(side, 'b', 'a') || ' (' || name || '): ' || "
                    "cells || ' cells: ' || "
                    "why || '.' FROM temp.compare_beyond JOIN temp.compare_sides USING (side) "
                    "WHERE cells ORDER BY side, "
                    "why DESC",
                    out, terminal);
    if (c->changed)
        write_prose(out, terminal, 2, "%zu of %zu rows compare different machine code.", c->changed,
                    c->rows);
}

void compare_write(const struct comparison *c, FILE *out, struct terminal terminal, bool brief)
{
    static const struct printed printed[] = {
        {true, 0, false}, {false, 0, false}, {false, 1, false}};
    if (!brief) write_sides(c, out, terminal);
    if (!brief) fputc('\n', out);
    if (c->rows) {
        write_means(c, out, terminal);
        fputc('\n', out);
        write_rows(c, out, terminal);
    } else {
        write_accuracies(c, out, terminal);
    }
    if (lab_number(&c->l, "SELECT count(*) FROM temp.compare_classes") > 0) {
        fputc('\n', out);
        write_query(c,
                    "SELECT variants, members AS \"equal bits ( | divides)\", first AS \"such as\" "
                    "FROM temp.compare_classes",
                    printed, out, terminal);
    }
    if (brief) return;
    fputc('\n', out);
    write_notes(c, out, terminal);
}
