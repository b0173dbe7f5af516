// SPDX-License-Identifier: MIT
#include "publish/db/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/db/columns.h"

enum { TABLES = 20, COLUMNS = 64 };

/* A table: which table's rows each of its columns names, and what its own rows are numbered in the
 * copy: a row that has a name, which may be there already, as it is there. */
struct table {
    char name[40];
    bool numbered;
    int count, of[COLUMNS]; /* of: a place in tables[]; -1: it names none */
    int64_t *numbers;
    size_t room;
};
struct copy {
    const struct lab_db *from, *to;
    struct table tables[TABLES];
    int count;
};

/* What is inserted is what a statement selects, by its columns' names. A run that is there comes
 * once more, under another name. error_sums, which is a view, names the rows that cells names. */
static int copy_prepare_insert(const struct copy *c, struct table *t, sqlite3_stmt *from,
                               sqlite3_stmt **to, struct error *e)
{
    static const char other_name[] = ", ?2 || iif(EXISTS(SELECT 1 FROM runs WHERE run = ?2), '+' "
                                     "|| (SELECT count(*) FROM runs), '')";
    sqlite3_str *names = sqlite3_str_new(NULL), *values = sqlite3_str_new(NULL);
    sqlite3_stmt *s;
    int code = lab_prepare(c->from,
                           "SELECT \"table\" FROM pragma_foreign_key_list(iif(?1 = 'error_sums', "
                           "'cells', ?1)) WHERE \"from\" = ?2",
                           &s, e);
    t->count = sqlite3_column_count(from);
    for (int i = 0; !code && i < t->count; i++) {
        const char *name = sqlite3_column_name(from, i);
        lab_bind(s, "tt", t->name, name);
        int of = sqlite3_step(s) == SQLITE_ROW ? c->count - 1 : -1;
        while (of >= 0 && strcmp(c->tables[of].name, column_text(s, 0)) != 0) of--;
        t->of[i] = of;
        sqlite3_reset(s);
        sqlite3_str_appendf(names, i ? ", \"%w\"" : "\"%w\"", name);
        sqlite3_str_appendall(values, !i                                      ? "?"
                                      : i > 1 || strcmp(t->name, "runs") != 0 ? ", ?"
                                                                              : other_name);
    }
    sqlite3_finalize(s);
    t->numbered = !strcmp(sqlite3_column_name(from, 0), "id");
    char *into = sqlite3_str_finish(names), *of = sqlite3_str_finish(values),
         *sql =
             sqlite3_mprintf("INSERT INTO %s(%s) VALUES(%s)%s", t->name, into, of,
                             t->numbered ? " ON CONFLICT DO UPDATE SET id = id RETURNING id" : "");
    if (!code) code = lab_prepare(c->to, sql, to, e);
    sqlite3_free(sql), sqlite3_free(into), sqlite3_free(of);
    return code;
}

static void remember(struct table *t, size_t old, int64_t number)
{
    if (old >= t->room)
        t->numbers = memory_grow(t->numbers, (t->room = 2 * old + 64) * sizeof *t->numbers);
    t->numbers[old] = number;
}

static int db_copy_row(const struct copy *c, struct table *t, sqlite3_stmt *from, sqlite3_stmt *to,
                       struct error *e)
{
    for (int i = t->numbered; i < t->count; i++)
        if (t->of[i] >= 0 && sqlite3_column_type(from, i) != SQLITE_NULL)
            sqlite3_bind_int64(to, i + 1, c->tables[t->of[i]].numbers[column_count(from, i)]);
        else
            sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
    const int state = sqlite3_step(to);
    if (state == SQLITE_ROW) remember(t, column_count(from, 0), sqlite3_column_int64(to, 0));
    sqlite3_reset(to);
    return state == SQLITE_ROW || state == SQLITE_DONE ? 0 : lab_failed(c->to, e);
}

static int copy_table(struct copy *c, const char *name, const char *sql, struct error *e)
{
    struct table *t = &c->tables[c->count];
    sqlite3_stmt *from = NULL, *to = NULL;
    snprintf(t->name, sizeof t->name, "%s", name);
    int code = lab_prepare(c->from, sql, &from, e);
    if (!code) code = copy_prepare_insert(c, t, from, &to, e);
    int state = SQLITE_DONE;
    while (!code && (state = sqlite3_step(from)) == SQLITE_ROW)
        code = db_copy_row(c, t, from, to, e);
    if (!code && state != SQLITE_DONE) code = lab_failed(c->from, e);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    c->count++;
    return code;
}

static const char first_sql[] =
    "CREATE TEMP TABLE first AS SELECT min(error) AS error FROM error_variants GROUP BY variant";
/* The tables of which anything about several runs is asked, each with its columns and rows. */
static const char tables_sql[] =
    "SELECT name, 'SELECT ' || CASE name WHEN 'cell_details' THEN 'blob, variant, shape, low_ns, "
    "iif(low_ns IS NULL, medians_ns, NULL) AS medians_ns, gb_per_s' WHEN 'codes' THEN 'blob, "
    "variant, place, hash, fma, ymm, zmm, fma_scalar' WHEN 'errors' THEN 'id, blob, elements, "
    "grid, near_zero' ELSE '*' END || ' FROM main.' || name || CASE name WHEN 'errors' THEN "
    "' WHERE id IN temp.first' WHEN 'error_variants' THEN ' WHERE error IN temp.first' ELSE '' END "
    "FROM main.sqlite_master WHERE name IN ('machines', 'blobs', 'builds', 'runs', 'files', "
    "'variants', 'shapes', 'cells', 'cell_details', 'controls', 'limits', 'codes', 'errors', "
    "'error_variants', 'error_sums', 'instructions', 'cores') ORDER BY rowid";

int db_copy(const struct lab_db *to, const struct lab_db *from, struct error *e)
{
    struct copy *c = memory_new(sizeof *c);
    sqlite3_stmt *s = NULL;
    *c = (struct copy){.from = from, .to = to};
    int code = lab_execute(to,
                           "BEGIN; CREATE TEMP TABLE IF NOT EXISTS error_sums AS SELECT * FROM "
                           "main.error_sums",
                           e);
    if (!code) code = lab_execute(from, first_sql, e);
    if (!code) code = lab_prepare(from, tables_sql, &s, e);
    while (!code && c->count < TABLES && sqlite3_step(s) == SQLITE_ROW)
        code = copy_table(c, column_text(s, 0), column_text(s, 1), e);
    sqlite3_finalize(s);
    for (int i = 0; i < c->count; i++) free(c->tables[i].numbers);
    free(c);
    return code ? code : lab_execute(to, "COMMIT", e);
}
