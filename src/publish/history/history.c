// SPDX-License-Identifier: MIT
#include "publish/history/history.h"

#include "publish/archive/archive.h"
#include "publish/db/rename.h"
#include "publish/history/change_points.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

int history_make(const struct lab_db *l, const struct history_request *q, struct error *e)
{
    change_points_add(l);
    int code = lab_run(l, e,
                       "CREATE TEMP TABLE history_asked(path TEXT, machine TEXT, last INTEGER, "
                       "since TEXT, threshold REAL, gates TEXT); "
                       "INSERT INTO history_asked VALUES(?, ?, ?, ?, ?, ?)",
                       "ttitdt", l->path, q->machine ? q->machine : "", (int64_t)q->last, q->since,
                       q->threshold, q->gates);
    if (!code) code = archive_choose(l, q->selector, e);
    if (!code) code = db_renames(l, q->maps, q->map_count, e);
    return code ? code : narrow_run(l, sql_history, q->filters, q->filter_count, e);
}
