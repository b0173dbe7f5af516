// SPDX-License-Identifier: MIT
/* history: the changes of cells over the runs of an archive. */
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "model/date.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/site/history_page.h"

enum { USUAL_RUNS = 200 };
static const double usual_threshold = 2; /* percent */

/* The gate: a time that is still slower, a larger error, changed bits of an invariant kernel. */
static int judge(const struct history *h, const struct options *o, struct error *e)
{
    size_t count = history_gates(h), first = 0;
    char name[300];
    if (o->gate && !h->compared)
        return fail(
            e, EXIT_GATE,
            "history: --gate: nothing was compared: no cell of %zu runs was measured twice%s; "
            "add a run, or choose more",
            h->run_count, o->since ? " on a machine, and again since then" : " on a machine");
    if (!o->gate || !count) return 0;
    while (!h->changes[first].gates) first++;
    const struct history_change *c = &h->changes[first];
    history_name(h, c, name, sizeof name);
    return fail(e, EXIT_GATE,
                "worse: %zu changes: the newest of %s (%s) since run %s; see the rows, or look at "
                "newer ones only with --since",
                count, name, history_kind_name(c->kind), h->runs[c->run].run);
}

static int publish(const struct history *h, const struct options *o, struct error *e)
{
    int code = 0;
    if (o->page) code = history_write_page(h, o->page, e);
    if (code) return code;
    if (o->json) return record_print(history_document(h), e);
    if (!o->quiet) history_write(h, stdout);
    if (o->page && !o->quiet) puts(o->page);
    return 0;
}

int cmd_history(const struct options *o, struct error *e)
{
    struct lab_db l;
    struct history h;
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
        .last = o->last ? o->last : USUAL_RUNS,
        .since = o->since,
        .threshold = (o->threshold.given ? o->threshold.value : usual_threshold) / 100,
    };
    int code = o->since ? date_check("history: --since", o->since, e) : 0;
    if (!code) code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = history_open(&l, &request, &h, e);
    lab_close(&l);
    if (code) return code;
    code = publish(&h, o, e);
    if (!code) code = judge(&h, o, e);
    history_free(&h);
    return code;
}
