// SPDX-License-Identifier: MIT
#include "publish/sql/facts.h"

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

int facts_make(const struct lab_db *l, double bar, struct error *e)
{
    int code = lab_run(l, e, sql_facts, "");
    if (!code) code = lab_execute(l, sql_winners, e);
    if (!code) code = lab_execute(l, sql_gains, e);
    if (!code) code = lab_run(l, e, sql_findings, "d", bar);
    return code ? code : lab_execute(l, sql_types, e);
}
