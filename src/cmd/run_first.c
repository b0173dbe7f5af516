// SPDX-License-Identifier: MIT
/* The findings of a run before it has timed anything: what the compilers made of one kernel, and
 * the errors of the kernels. */
#include <stdio.h>

#include "cmd/run_steps.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/render/table.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

/* The width of the answer, for terminals of any width. */
static const struct terminal narrow = {.columns = 80};

static void write_codes(sqlite3_stmt *s)
{
    for (bool first = true; sqlite3_step(s) == SQLITE_ROW; first = false) {
        if (first)
            printf("What the compilers made of softmax/threepass for %s:\n", column_text(s, 0));
        write_prose(stdout, narrow, 4, "  %s", column_text(s, 1));
    }
}

static void write_errors(sqlite3_stmt *s)
{
    static const struct column columns[] = {{.title = "largest error on normal so far"},
                                            {.title = "of the best kernel"},
                                            {.title = "of the worst"}};
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    while (sqlite3_step(s) == SQLITE_ROW)
        table_add(&table, TINT_NONE,
                  (const char *const[]){column_text(s, 0), column_text(s, 1), column_text(s, 2)});
    table_end(&table, stdout, narrow);
}

/* Reads what the folder has so far. */
static int run_first_show(const struct run *run, const char *sql, void (*write)(sqlite3_stmt *),
                          struct error *e)
{
    const char *folder = run->folder;
    struct lab_db l;
    sqlite3_stmt *s = NULL;
    if (run->o->quiet || run->o->json) return 0;
    int code = db_read(&l, &folder, 1, e);
    if (code) return code;
    code = facts_make(&l, advice_bar, e);
    if (!code) code = lab_prepare(&l, sql, &s, e);
    if (!code) write(s);
    sqlite3_finalize(s);
    lab_close(&l);
    return fflush(stdout), code;
}

int run_show_codegen(struct run *run, const char *path, struct error *e)
{
    (void)path;
    return run_first_show(run, sql_first_codes, write_codes, e);
}

int run_show_errors(struct run *run, const char *path, struct error *e)
{
    (void)path;
    return run_first_show(run, sql_first_errors, write_errors, e);
}
