// SPDX-License-Identifier: MIT
/* history: the changes of cells over the runs of an archive. */
#include <stdio.h>

#include "cmd/common.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/history/history.h"
#include "publish/site/site.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"

enum { USUAL_RUNS = 200 };
static const double usual_threshold = 2; /* percent */

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
    char gates[GATE_ROOM];
    gate_kinds(o, gates);
    const struct history_request request = {
        .selector = selector,
        .machine = o->machine,
        .filters = o->filters.items,
        .filter_count = o->filters.count,
        .maps = o->maps.items,
        .map_count = o->maps.count,
        .last = o->last ? o->last : USUAL_RUNS,
        .since = o->since,
        .gates = *gates ? gates : usual_gates,
        .threshold = (o->threshold.given ? o->threshold.value : usual_threshold) / 100,
    };
    int code = o->since ? date_check("history: --since", o->since, e) : 0;
    if (!code) code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = history_make(&l, &request, e);
    if (!code) code = publish(&l, o, e);
    if (!code && option_given(o, "gate")) code = judge_gate(&l, e);
    lab_close(&l);
    return code;
}
