// SPDX-License-Identifier: MIT
/* policy: the gain and cost of each floating-point policy, and a recommendation. */
#include <stdio.h>

#include "cmd/common.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/sql/facts.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"

static int policy_show(const struct lab_db *l, const struct options *o, struct error *e)
{
    if (o->emit) return policies_emit(l, o->emit, stdout, e);
    const int code = print_query(o, l, sql_policy_document, sql_policy_text, e);
    return code ? code : judge_gate(l, e);
}

int cmd_policy(const struct options *o, struct error *e)
{
    char home[1024];
    const char *places[] = {home};
    const struct policy_constraints constraints = {
        .folder = home,
        .max_ulp = o->max_ulp.given ? o->max_ulp.value : advice_bar,
        .bar_given = o->max_ulp.given,
        .no_broken_cases = o->no_broken_cases,
        .require = o->require.items,
        .require_count = o->require.count,
        .allow = o->allow.items,
        .allow_count = o->allow.count,
    };
    struct lab_db l;
    int code = named_folder("policy", o, home, sizeof home, e);
    if (!code) code = db_read(&l, places, 1, e);
    if (code) return code;
    code = db_narrow(&l, o->filters.items, o->filters.count, e);
    if (!code) code = facts_make(&l, constraints.max_ulp, e);
    if (!code) code = policies_make(&l, &constraints, e);
    if (!code) code = policy_show(&l, o, e);
    lab_close(&l);
    return code;
}
