// SPDX-License-Identifier: MIT
#include "publish/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

const double compare_usual_margin = 0.02; /* the noise of a shared machine is usually smaller */

/* ---- What was asked -------------------------------------------------------------------------- */

static const char *const kinds[] = {"runs", "axis", "cpu", "commit"};

static int kind_of(const char *by, struct comparison *c, struct error *e)
{
    static const char *const axes[] = {"isa", "cc", "policy"};
    c->kind = COMPARE_RUNS;
    if (!by) return 0;
    for (int kind = COMPARE_CPUS; kind <= COMPARE_COMMITS; kind++)
        if (!strcmp(by, kinds[kind])) {
            c->kind = (enum comparison_kind)kind;
            return 0;
        }
    c->kind = COMPARE_AXIS;
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(by, axes[i])) c->axis = axes[i];
    if (c->axis) return 0;
    return fail(e, EXIT_USAGE, "compare: --by %s: unknown; known: isa, policy, cc, cpu, commit",
                by);
}

struct words {
    const char *places[SIDES_MAX], *values[SIDES_MAX];
    size_t place_count, value_count;
};

/* A run of an archive is named alone. */
static int add_place(struct words *w, const char *word, struct error *e)
{
    char path[1024], *text = NULL;
    const char *selector;
    size_t size;
    int code = 0;
    if (lab_is_place(word, path, sizeof path, &selector))
        code = lab_read_place(word, "machine.json", &text, &size, e);
    free(text);
    w->places[w->place_count++] = word;
    return code;
}

static int sort_words(const struct compare_request *q, const struct comparison *c, struct words *w,
                      struct error *e)
{
    int code = 0;
    *w = (struct words){.place_count = 0};
    for (size_t i = 0; !code && i < q->word_count; i++) {
        if (i == SIDES_MAX)
            return fail(e, EXIT_USAGE, "compare: more than %d sides; give fewer", SIDES_MAX);
        if (c->axis && !record_is_folder(q->words[i]))
            w->values[w->value_count++] = q->words[i];
        else
            code = add_place(w, q->words[i], e);
    }
    if (!code && !w->place_count && c->axis && q->home) code = add_place(w, q->home, e);
    if (code) return code;
    if (c->axis && (!w->place_count || w->place_count > 2))
        return fail(e, EXIT_USAGE, "compare: --by %s: %zu folders; give one, or two", q->by,
                    w->place_count);
    if (!c->axis && w->place_count < 2)
        return fail(e, EXIT_USAGE,
                    "compare: %zu folders; give two or more, or one with --by isa, policy or cc",
                    w->place_count);
    return 0;
}

/* ---- The sides ------------------------------------------------------------------------------- */

static int put_side(struct comparison *c, size_t run, const char *value, const char *name,
                    const char *folder, struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(&c->l, "INSERT INTO temp.compare_sides VALUES(?, ?, ?, ?, ?)", &s, e);
    if (code) return code;
    lab_bind(s, "iittt", (int64_t)c->sides++, (int64_t)run, value, name, folder);
    code = lab_step(&c->l, s, e);
    sqlite3_finalize(s);
    return code;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* A folder is named by the last part of its path if those differ, else by the whole path. */
static int put_folders(struct comparison *c, const struct words *w, struct error *e)
{
    bool apart = true;
    int code = 0;
    for (size_t i = 0; i < w->place_count; i++)
        for (size_t k = 0; k < i; k++)
            apart &= strcmp(last_part(w->places[i]), last_part(w->places[k])) != 0;
    for (size_t i = 0; !code && i < w->place_count; i++)
        code = put_side(c, i + 1, NULL, apart ? last_part(w->places[i]) : w->places[i],
                        w->places[i], e);
    if (!code && c->kind == COMPARE_RUNS &&
        lab_number(&c->l, "SELECT count(DISTINCT machine) FROM runs") > 1)
        c->kind = COMPARE_CPUS;
    return code;
}

static bool has_value(const struct comparison *c, size_t run, const char *value)
{
    sqlite3_stmt *s;
    struct error e;
    if (lab_prepare(&c->l, "SELECT 1 FROM temp.compare_values WHERE run = ? AND value = ?", &s, &e))
        return false;
    lab_bind(s, "it", (int64_t)run, value);
    const bool has = sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return has;
}

static int put_values(struct comparison *c, const struct words *w, struct error *e)
{
    int code = 0;
    for (size_t i = 0; !code && i < w->value_count; i++) {
        const size_t run = i ? w->place_count : 1;
        const char *folder = w->places[run - 1];
        if (!has_value(c, run, w->values[i]))
            return fail(e, EXIT_USAGE,
                        "compare: %s: neither a folder of results nor a %s in %s; 'ulplab list' "
                        "shows the axes",
                        w->values[i], c->axis, folder);
        code = put_side(c, run, w->values[i], w->values[i], folder, e);
    }
    return code;
}

static int put_all_values(struct comparison *c, const char *folder, struct error *e)
{
    char values[SIDES_MAX][40];
    size_t count = 0;
    sqlite3_stmt *s;
    int code = lab_prepare(&c->l, "SELECT value FROM temp.compare_values WHERE run = 1", &s, e);
    if (code) return code;
    for (; count < SIDES_MAX && sqlite3_step(s) == SQLITE_ROW; count++)
        snprintf(values[count], sizeof *values, "%s", column_text(s, 0));
    sqlite3_finalize(s);
    if (count < 2)
        return fail(e, EXIT_USAGE,
                    "compare: %s: only one value of %s%s%s; name two, or measure more", folder,
                    c->axis, count ? ": " : "", count ? values[0] : "");
    for (size_t i = 0; !code && i < count; i++)
        code = put_side(c, 1, values[i], values[i], folder, e);
    return code;
}

static int check_values(const struct comparison *c, const struct words *w, struct error *e)
{
    if (w->value_count != 1) return 0;
    return fail(e, EXIT_USAGE, "compare: %s: only one value of %s: %s; name two, or measure more",
                w->places[0], c->axis, w->values[0]);
}

/* ---- May they be compared? ------------------------------------------------------------------- */

static int check_comparable(const struct comparison *c, struct error *e)
{
    static const char sql[] =
        "WITH f AS (SELECT s.side, s.folder, r.document ->> 'schema' AS schema, r.document ->> "
        "'$.machine.slug' AS slug, r.document ->> '$.request.seed' AS seed FROM temp.compare_sides "
        "s JOIN runs r ON r.id = s.run) SELECT a.folder, b.folder, a.schema, b.schema, a.slug, "
        "b.slug, a.seed, b.seed, a.schema <> b.schema, a.slug <> b.slug FROM f a JOIN f b ON "
        "a.side "
        "= 0 AND b.side > 0 WHERE a.schema <> b.schema OR a.seed <> b.seed OR (a.slug <> b.slug "
        "AND "
        "?1)";
    sqlite3_stmt *s;
    int code = lab_prepare(&c->l, sql, &s, e);
    if (code) return code;
    lab_bind(s, "i", (int64_t)(c->kind == COMPARE_AXIS));
    if (sqlite3_step(s) == SQLITE_ROW) {
        const char *a = column_text(s, 0), *b = column_text(s, 1);
        if (sqlite3_column_int(s, 8))
            code = fail(e, EXIT_BAD_INPUT,
                        "refused: %s and %s: schema %s against %s; measure one of them again", a, b,
                        column_text(s, 2), column_text(s, 3));
        else if (c->axis && sqlite3_column_int(s, 9))
            code = fail(e, EXIT_BAD_INPUT,
                        "refused: %s and %s: different machines (%s, %s) say nothing about flags; "
                        "give one folder, or "
                        "compare the CPUs with --by cpu",
                        a, b, column_text(s, 4), column_text(s, 5));
        else
            code = fail(
                e, EXIT_BAD_INPUT,
                "refused: %s and %s: inputs of seed %s against %s; measure again with one --seed",
                a, b, column_text(s, 6), column_text(s, 7));
    }
    sqlite3_finalize(s);
    return code;
}

static int refuse_nothing(const struct comparison *c, struct error *e)
{
    sqlite3_stmt *s;
    const int64_t changed =
        lab_number(&c->l, "SELECT coalesce(sum(cells), 0) FROM temp.compare_beyond WHERE side = 0 "
                          "AND why <> 'timed on one side alone'");
    int code = lab_prepare(&c->l,
                           "SELECT a.name, b.name FROM temp.compare_sides a, temp.compare_sides b "
                           "WHERE a.side = 0 AND b.side = 1",
                           &s, e);
    if (code || sqlite3_step(s) != SQLITE_ROW) return code;
    if (!changed)
        code = fail(e, EXIT_USAGE,
                    "compare: %s and %s: no cell in common; compare runs of the same kernels and "
                    "shapes, or widen "
                    "--filter",
                    column_text(s, 0), column_text(s, 1));
    else
        code = fail(e, EXIT_USAGE,
                    "compare: %s and %s: no cell in common: the %lld that both timed ran other "
                    "machine code; compare "
                    "the commits with --by commit",
                    column_text(s, 0), column_text(s, 1), (long long)changed);
    sqlite3_finalize(s);
    return code;
}

/* ---- The comparison -------------------------------------------------------------------------- */

static int make_plan(const struct comparison *c, struct error *e)
{
    sqlite3_stmt *s;
    int code =
        lab_execute(&c->l, "CREATE TEMP TABLE compare_plan(kind TEXT, axis TEXT, margin REAL)", e);
    if (!code) code = lab_prepare(&c->l, "INSERT INTO temp.compare_plan VALUES(?, ?, ?)", &s, e);
    if (code) return code;
    lab_bind(s, "ttd", kinds[c->kind], c->axis, c->margin);
    code = lab_step(&c->l, s, e);
    sqlite3_finalize(s);
    return code ? code : lab_execute(&c->l, sql_compare_scope, e);
}

static int compare(struct comparison *c, struct error *e)
{
    static const char grids[] = "SELECT count(DISTINCT coalesce(e.grid, '') || ' ' || "
                                "coalesce(e.elements, '')) > 1 FROM temp.compare_sides s "
                                "JOIN runs r ON r.id = s.run JOIN errors e ON e.id = (SELECT "
                                "min(id) FROM errors f WHERE f.blob = r.accuracy)";
    int code = check_comparable(c, e);
    if (!code) code = lab_execute(&c->l, sql_compare, e);
    if (code) return code;
    c->rows = (size_t)lab_number(&c->l, "SELECT count(*) FROM temp.compare_rows");
    c->changed = (size_t)lab_number(&c->l, "SELECT count(changed) FROM temp.compare_rows");
    c->unlike =
        (size_t)lab_number(&c->l, "SELECT coalesce(sum(unlike), 0) FROM temp.compare_accuracy");
    c->grids_differ = lab_number(&c->l, grids) > 0;
    return c->rows || lab_number(&c->l, "SELECT count(*) FROM temp.compare_accuracy")
               ? 0
               : refuse_nothing(c, e);
}

int compare_open(const struct compare_request *q, struct comparison *c, struct error *e)
{
    static const char *const needed[] = {"named",     "timed",           "shared",
                                         "units",     "first_errors",    "erred",
                                         "identical", "identical_words", NULL};
    struct words w;
    *c = (struct comparison){.margin = q->margin};
    int code = kind_of(q->by, c, e);
    if (!code) code = sort_words(q, c, &w, e);
    if (!code) code = check_values(c, &w, e);
    if (!code) code = db_read(&c->l, w.places, w.place_count, e);
    if (code) return code;
    code = db_narrow(&c->l, q->filters, q->filter_count, e);
    if (!code) code = facts_some(&c->l, needed, e);
    if (!code) code = make_plan(c, e);
    if (!code)
        code = !c->axis        ? put_folders(c, &w, e)
               : w.value_count ? put_values(c, &w, e)
                               : put_all_values(c, w.places[0], e);
    if (!code) code = compare(c, e);
    if (code) lab_close(&c->l);
    return code;
}

void compare_close(struct comparison *c)
{
    lab_close(&c->l);
}

void compare_interval_text(double ratio, double low, double high, char *text, size_t size)
{
    if (isnan(ratio))
        snprintf(text, size, "-");
    else if (isnan(low))
        snprintf(text, size, "%.3f [-]", ratio);
    else
        snprintf(text, size, "%.3f [%.3f, %.3f]", ratio, low, high);
}
