// SPDX-License-Identifier: MIT
#include "publish/sql/facts.h"

#include <stdio.h>
#include <string.h>

#include "model/filter.h"
#include "publish/db/columns.h"
#include "publish/sql/sql.h"

const double advice_bar = 4;

/* ---- --filter -------------------------------------------------------------------------------- */

struct narrowing {
    const char *const *filters;
    size_t count;
    struct error *e;
    int code;
};

/* fits(id, op, algorithm, dtype, isa, cc, policy) */
static void fits(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct narrowing *n = sqlite3_user_data(c);
    const char *axes[7];
    bool match = false;
    for (int i = 0; i < count; i++) {
        axes[i] = (const char *)sqlite3_value_text(values[i]);
        if (!axes[i]) axes[i] = "";
    }
    const struct place place = {axes[0], axes[1], axes[2], axes[3], axes[4], axes[5], axes[6]};
    if (!n->code) n->code = filter_matches(&place, n->filters, n->count, &match, n->e);
    sqlite3_result_int(c, match);
}

int narrow_run(const struct lab_db *l, const char *sql, const char *const *filters, size_t count,
               struct error *e)
{
    struct narrowing n = {filters, count, e, 0};
    sqlite3_create_function(l->db, "fits", 7, SQLITE_UTF8, &n, fits, NULL, NULL);
    const int code = sql_run(l, sql, (double)NAN, e);
    sqlite3_create_function(l->db, "fits", 7, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    return n.code ? n.code : code;
}

int db_narrow(const struct lab_db *l, const char *const *filters, size_t count, struct error *e)
{
    static const char sql[] =
#define FITS(id) "NOT fits(" id ", v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy)"
        "CREATE TEMP TABLE unfit AS SELECT v.id AS variant FROM variants v WHERE " FITS(
            "v.variant") ";"
                         "CREATE TEMP TABLE unfit_cells AS SELECT c.blob, c.variant, c.shape FROM "
                         "cells c "
                         "JOIN variants v ON v.id = c.variant JOIN shapes s ON s.id = c.shape "
                         "WHERE " FITS(
                             "v.variant || '/rows=' || s.\"rows\" || '/n=' || s.n || '/threads=' "
                             "|| s.threads") ";"
#undef FITS
                                             "DELETE FROM codes WHERE variant IN (SELECT variant "
                                             "FROM unfit);"
                                             "DELETE FROM error_variants WHERE variant IN (SELECT "
                                             "variant FROM unfit);"
                                             "DELETE FROM cell_details WHERE (blob, variant, "
                                             "shape) IN (SELECT * FROM unfit_cells);"
                                             "DELETE FROM cells WHERE (blob, variant, shape) IN "
                                             "(SELECT * FROM unfit_cells);";
    if (!count) return 0;
    int code = narrow_run(l, sql, filters, count, e);
    if (!code && lab_number(l, "SELECT EXISTS(SELECT 1 FROM cells) OR EXISTS(SELECT 1 FROM "
                               "error_variants)") != 1)
        code = fail(e, EXIT_USAGE, "--filter: no row matches; 'ulplab list' shows the variants");
    return code;
}

/* ---- The tables ------------------------------------------------------------------------------ */

int sql_run(const struct lab_db *l, const char *sql, double first, struct error *e)
{
    int code = 0;
    while (!code && *sql) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) return lab_failed(l, e);
        if (!s) break;
        if (sqlite3_bind_parameter_count(s)) lab_bind(s, "d", first);
        const int state = sqlite3_step(s);
        if (state == SQLITE_ROW)
            code = fail(e, sqlite3_column_int(s, 0), "%s", column_text(s, 1));
        else if (state != SQLITE_DONE)
            code = lab_failed(l, e);
        sqlite3_finalize(s);
    }
    return code;
}

/* Returns the size of the next statement with its semicolon: no text of facts.sql has one at the
 * end of a line but behind a statement. */
static size_t statement_size(const char *sql)
{
    const char *end = strstr(sql, ";\n");
    return end ? (size_t)(end + 2 - sql) : strlen(sql);
}

/* Returns whether a statement makes, or fills, one of the tables. */
static bool is_of(const char *sql, size_t size, const char *const *tables)
{
    static const char *const before[] = {"TABLE ", "VIEW ", "INTO ", "ON "};
    char word[80];
    if (!tables) return true;
    for (size_t i = 0; tables[i]; i++)
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            const char *at;
            const size_t length = (size_t)snprintf(word, sizeof word, "%s%s", before[k], tables[i]);
            for (const char *from = sql;
                 (at = memmem(from, size - (size_t)(from - sql), word, length)); from = at + 1)
                if (at + length < sql + size && strchr("( \n", at[length])) return true;
        }
    return false;
}

static int make(const struct lab_db *l, double bar, const char *const *tables, struct error *e)
{
    const char *sql = sql_facts, *end;
    int code = 0;
    for (; !code && *sql; sql = end) {
        sqlite3_stmt *s = NULL;
        const size_t size = statement_size(sql);
        end = sql + size;
        if (!is_of(sql, size, tables)) continue;
        if (sqlite3_prepare_v2(l->db, sql, (int)size, &s, NULL) != SQLITE_OK)
            return lab_failed(l, e);
        if (!s) continue;
        if (sqlite3_bind_parameter_count(s)) lab_bind(s, "d", bar);
        code = lab_step(l, s, e);
        sqlite3_finalize(s);
    }
    return code;
}

int facts_make(const struct lab_db *l, double bar, struct error *e)
{
    return make(l, bar, NULL, e);
}

int facts_some(const struct lab_db *l, const char *const *tables, struct error *e)
{
    return make(l, advice_bar, tables, e);
}
