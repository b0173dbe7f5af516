// SPDX-License-Identifier: MIT
/* history: the changes of cells over the runs of an archive. */
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/common.h"
#include "model/date.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/history/history.h"
#include "publish/site/html.h"
#include "publish/sql/sql.h"

enum { USUAL_RUNS = 200 };
static const double usual_threshold = 2; /* percent */

/* The gate: a time that is still slower, a larger error, changed bits of an invariant kernel. */
static int judge(const struct lab_db *l, const struct options *o, struct error *e)
{
    sqlite3_stmt *s;
    const bool gate = option_given(o, "gate");
    int code = gate ? lab_prepare(l,
                                  "SELECT n.compared, n.runs, n.gates, c.cell, c.kind, r.run "
                                  "FROM history_counts n LEFT JOIN history_changes c ON c.gates "
                                  "LEFT JOIN history_runs r ON r.place = c.run ORDER BY c.rowid",
                                  &s, e)
                    : 0;
    if (!gate || code) return code;
    sqlite3_step(s);
    if (!sqlite3_column_int(s, 0))
        code = fail(
            e, EXIT_GATE,
            "history: --gate: nothing was compared: no cell of %zu runs was measured twice%s; "
            "add a run, or choose more",
            column_count(s, 1), o->since ? " on a machine, and again since then" : " on a machine");
    else if (sqlite3_column_int(s, 2))
        code = fail(e, EXIT_GATE,
                    "worse: %zu changes: the newest of %s (%s) since run %s; see the rows, or look "
                    "at newer ones only with --since",
                    column_count(s, 2), column_text(s, 3), column_text(s, 4), column_text(s, 5));
    sqlite3_finalize(s);
    return code;
}

static int publish(const struct lab_db *l, const struct options *o, struct error *e)
{
    int code = o->page ? html_write_history(l, o->page, e) : 0;
    if (!code && (o->json || !o->quiet))
        code = print_query(o, l, sql_history_document, sql_history_text, e);
    if (!code && o->page && !o->json && !o->quiet) puts(o->page);
    return code;
}

int cmd_history(const struct options *o, struct error *e)
{
    struct lab_db l;
    char path[1024];
    const char *selector;
    if (o->positional.count != 1 ||
        !lab_is_place(o->positional.items[0], path, sizeof path, &selector))
        return fail(e, EXIT_USAGE,
                    "history: name one archive, such as lab.db; 'ulplab archive add' "
                    "makes it");
    const struct history_request request = {
        .selector = selector,
        .machine = o->machine,
        .filters = o->filters.items,
        .filter_count = o->filters.count,
        .maps = o->maps.items,
        .map_count = o->maps.count,
        .last = o->last ? o->last : USUAL_RUNS,
        .since = o->since,
        .threshold = (o->threshold.given ? o->threshold.value : usual_threshold) / 100,
    };
    int code = o->since ? date_check("history: --since", o->since, e) : 0;
    if (!code) code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = history_make(&l, &request, e);
    if (!code) code = publish(&l, o, e);
    if (!code) code = judge(&l, o, e);
    lab_close(&l);
    return code;
}
