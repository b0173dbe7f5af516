// SPDX-License-Identifier: MIT
#include "publish/db/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/db/columns.h"

enum { TABLES = 40, COLUMNS = 64 };

/* A table: which table's rows each of its columns names, and what its own rows are numbered in the
 * copy: a row that has a name, which may be there already, as it is there; others behind the last.
 */
struct table {
    char name[40];
    bool numbered, named;
    int count, of[COLUMNS]; /* of: a place in tables[]; -1: it names none */
    int64_t *numbers, last;
    size_t room;
};
struct copy {
    const struct lab_db *from, *to;
    struct table tables[TABLES];
    int count;
};

static int place_of(const struct copy *c, const char *name)
{
    int i = c->count - 1;
    while (i >= 0 && strcmp(c->tables[i].name, name) != 0) i--;
    return i;
}

/* error_sums, which is a view, names the rows that cells names. */
static int read_columns(const struct copy *c, struct table *t, struct error *e)
{
    static const char sql[] =
        "SELECT f.\"table\", c.name = 'id', EXISTS(SELECT 1 FROM pragma_index_list(?1) WHERE "
        "origin "
        "= 'u') FROM pragma_table_info(?1) c LEFT JOIN pragma_foreign_key_list("
        "iif(?1 = 'error_sums', 'cells', ?1)) f ON f.\"from\" = c.name ORDER BY c.cid";
    char most[80];
    sqlite3_stmt *s;
    int code = lab_prepare(c->from, sql, &s, e);
    if (code) return code;
    lab_bind(s, "t", t->name);
    while (sqlite3_step(s) == SQLITE_ROW && t->count < COLUMNS) {
        t->of[t->count++] = place_of(c, column_text(s, 0));
        t->numbered |= sqlite3_column_int(s, 1);
        t->named = t->numbered && sqlite3_column_int(s, 2);
    }
    sqlite3_finalize(s);
    snprintf(most, sizeof most, "SELECT coalesce(max(id), 0) FROM %s", t->name);
    if (t->numbered) t->last = lab_number(c->to, most);
    return 0;
}

static int prepare_insert(const struct copy *c, const struct table *t, sqlite3_stmt **s,
                          struct error *e)
{
    /* A run that is there comes once more, under another name. */
    static const char other_name[] = ", ?2 || iif(EXISTS(SELECT 1 FROM runs WHERE run = ?2), '+' "
                                     "|| (SELECT count(*) FROM runs), '')";
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(?", t->name);
    for (int i = 2; i <= t->count; i++)
        sqlite3_str_appendall(sql, i > 2 || strcmp(t->name, "runs") != 0 ? ", ?" : other_name);
    sqlite3_str_appendall(sql, t->named ? ") ON CONFLICT DO UPDATE SET id = id RETURNING id" : ")");
    char *text = sqlite3_str_finish(sql);
    const int code = lab_prepare(c->to, text, s, e);
    sqlite3_free(text);
    return code;
}

static void remember(struct table *t, size_t old, int64_t number)
{
    if (old >= t->room)
        t->numbers = memory_grow(t->numbers, (t->room = 2 * old + 64) * sizeof *t->numbers);
    t->numbers[old] = number;
}

static int copy_row(const struct copy *c, struct table *t, sqlite3_stmt *from, sqlite3_stmt *to,
                    struct error *e)
{
    for (int i = t->numbered; i < t->count; i++)
        if (t->of[i] >= 0 && sqlite3_column_type(from, i) != SQLITE_NULL)
            sqlite3_bind_int64(to, i + 1, c->tables[t->of[i]].numbers[column_count(from, i)]);
        else
            sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
    const bool behind = t->numbered && !t->named;
    if (behind) sqlite3_bind_int64(to, 1, ++t->last);
    const int state = sqlite3_step(to);
    if (behind) remember(t, column_count(from, 0), t->last);
    if (state == SQLITE_ROW) remember(t, column_count(from, 0), sqlite3_column_int64(to, 0));
    sqlite3_reset(to);
    return state == SQLITE_ROW || state == SQLITE_DONE ? 0 : lab_failed(c->to, e);
}

static int copy_table(struct copy *c, const char *name, const char *sql, struct error *e)
{
    struct table *t = &c->tables[c->count];
    sqlite3_stmt *from = NULL, *to = NULL;
    snprintf(t->name, sizeof t->name, "%s", name);
    int code = read_columns(c, t, e);
    if (!code) code = prepare_insert(c, t, &to, e);
    if (!code) code = lab_prepare(c->from, sql, &from, e);
    int state = SQLITE_DONE;
    while (!code && (state = sqlite3_step(from)) == SQLITE_ROW) code = copy_row(c, t, from, to, e);
    if (!code && state != SQLITE_DONE) code = lab_failed(c->from, e);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    c->count++;
    return code;
}

static const char first_sql[] =
    "CREATE TEMP TABLE first AS SELECT min(error) AS error FROM error_variants GROUP BY variant";
/* The tables, each with its rows. */
static const char tables_sql[] =
    "SELECT name, 'SELECT * FROM main.' || name || CASE name WHEN 'errors' THEN ' WHERE id IN "
    "temp.first' WHEN 'error_variants' THEN ' WHERE error IN temp.first' ELSE '' END "
    "FROM main.sqlite_master WHERE type = 'table' OR name = 'error_sums' ORDER BY rowid";

int db_copy(const struct lab_db *to, const struct lab_db *from, struct error *e)
{
    struct copy *c = memory_zeroed(1, sizeof *c);
    sqlite3_stmt *s = NULL;
    c->from = from;
    c->to = to;
    int code = lab_execute(to,
                           "BEGIN; CREATE TEMP TABLE IF NOT EXISTS error_sums AS SELECT * FROM "
                           "main.error_sums",
                           e);
    if (!code) code = lab_execute(from, first_sql, e);
    if (!code) code = lab_prepare(from, tables_sql, &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW) {
        if (c->count == TABLES) abort(); /* schema.sql has more */
        code = copy_table(c, column_text(s, 0), column_text(s, 1), e);
    }
    sqlite3_finalize(s);
    for (int i = 0; i < c->count; i++) free(c->tables[i].numbers);
    free(c);
    return code ? code : lab_execute(to, "COMMIT", e);
}
