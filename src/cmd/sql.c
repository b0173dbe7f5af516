// SPDX-License-Identifier: MIT
/* sql: a query to the results of runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmd/common.h"
#include "publish/db/db.h"
#include "publish/sql/facts.h"
#include "publish/sql/ask.h"

/* Finds the query: the last word where it has blanks, or the file that it names where it ends with
 * .sql; NULL where the word names results. The caller frees. */
static int query_of(const struct options *o, char **query, struct error *e)
{
    const char *last = o->positional.count ? o->positional.items[o->positional.count - 1] : "";
    const char *ending = strrchr(last, '.');
    *query = NULL;
    if (ending && !strcmp(ending, ".sql")) {
        size_t size;
        const int code = file_read(last, 1 << 30, query, &size, e);
        return code || *query ? code : file_cannot(e, "read", last, "name another");
    }
    if (strpbrk(last, " \t\n") && access(last, F_OK) != 0) *query = memory_copy(last);
    return 0;
}

/* Opens the places. A single archive is queried directly; folders, and runs of an archive, are
 * loaded. */
static int sql_open_places(const struct options *o, size_t count, struct lab_db *l, struct error *e)
{
    char path[1024];
    const char *selector, *places[LIST_MAX];
    for (size_t i = 0; i < count; i++) places[i] = o->positional.items[i];
    if (count == 1 && lab_is_place(places[0], path, sizeof path, &selector) && !*selector)
        return db_open(l, path, LAB_READ, e);
    char folder[1024];
    int code = count ? 0 : results_to_read(o, folder, sizeof folder, e);
    if (code) return code;
    if (!count) places[count++] = folder;
    code = db_read(l, places, count, e);
    return code ? code : facts_make(l, advice_bar, e);
}

int cmd_sql(const struct options *o, struct error *e)
{
    const enum answer_format format = o->json ? ANSWER_JSON : o->csv ? ANSWER_CSV : ANSWER_TABLE;
    struct lab_db l;
    char *query;
    int code = query_of(o, &query, e);
    if (code) return code;
    if (!query) {
        if (o->json || o->csv)
            return fail(e, EXIT_USAGE,
                        "sql: --%s: needs a query; 'ulplab sql' without arguments shows examples",
                        o->json ? "json" : "csv");
        ask_help(stdout);
        return 0;
    }
    sqlite3_initialize(); /* so that a query's memory is counted */
    code = sql_open_places(o, o->positional.count - 1, &l, e);
    if (!code) code = sql_ask(&l, query, format, ASK_SECONDS, stdout, e);
    lab_close(&l);
    free(query);
    return code;
}
