// SPDX-License-Identifier: MIT
#include "publish/sql/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/filter.h"
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
    struct error malformed;
    struct narrowing n = {filters, count, &malformed, 0};
    sqlite3_create_function(l->db, "fits", 7, SQLITE_UTF8, &n, fits, NULL, NULL);
    const int code = lab_run(l, e, sql, "");
    sqlite3_create_function(l->db, "fits", 7, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    if (n.code) *e = malformed;
    return n.code ? n.code : code;
}

int db_narrow(const struct lab_db *l, const char *const *filters, size_t count, struct error *e)
{
    return count ? narrow_run(l, sql_narrow, filters, count, e) : 0;
}

/* ---- The tables ------------------------------------------------------------------------------ */

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
    const char *sql = sql_facts;
    int code = 0;
    while (!code && *sql) {
        const size_t size = statement_size(sql);
        char *statement = memory_copy_of(sql, size);
        if (is_of(sql, size, tables)) code = lab_run(l, e, statement, "d", bar);
        free(statement);
        sql += size;
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
