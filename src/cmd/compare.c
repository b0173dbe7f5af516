// SPDX-License-Identifier: MIT
/* compare: two runs, or the values of an axis in one, cell by cell. */
#include <stdio.h>
#include <string.h>

#include "cmd/common.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"

/* Checks --out against the words, each of which names a folder of results or, with --by, a value of
 * the axis. */
static int check_out(const struct options *o, struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < o->positional.count && !code; i++)
        if (!o->by || record_is_folder(o->positional.items[i]))
            code = refuse_second_folder("compare", o, o->positional.items[i], e);
    return code;
}

static int compare_sides(const struct options *o, struct error *e)
{
    char home[1024], gates[GATE_ROOM];
    struct lab_db l;
    int code = results_to_read(o, home, sizeof home, e);
    const struct compare_request q = {
        .words = o->positional.items,
        .word_count = o->positional.count,
        .by = o->by,
        .home = home,
        .filters = o->filters.items,
        .filter_count = o->filters.count,
        .maps = o->maps.items,
        .map_count = o->maps.count,
        .margin = o->threshold.given ? o->threshold.value / 100 : compare_usual_margin,
        .gates = gates,
        .detect = o->detect.given ? o->detect.value : compare_usual_detect,
    };
    gate_kinds_of_threshold(o, gates);
    if (!code) code = compare_open(&q, &l, e);
    if (code) return code;
    code = print_query(o, &l, sql_compare_document, sql_compare_text, e);
    if (!code) code = judge_gate(&l, e);
    lab_close(&l);
    return code;
}

static bool compares_values(const char *by)
{
    return by && strcmp(by, "cpu") != 0 && strcmp(by, "commit") != 0;
}

int cmd_compare(const struct options *o, struct error *e)
{
    struct options found = *o;
    int code = check_out(o, e);
    if (!code)
        code = keep_result_folders("compare", compares_values(o->by), &o->positional,
                                   &found.positional, e);
    return code ? code : compare_sides(&found, e);
}
