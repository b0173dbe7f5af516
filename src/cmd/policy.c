// SPDX-License-Identifier: MIT
/* policy: what each floating-point policy buys and costs, and which to ship. */
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/sql/facts.h"

static int constraints_of(const struct options *o, struct policy_constraints *c, struct error *e)
{
    *c = (struct policy_constraints){.max_ulp = o->max_ulp.given ? o->max_ulp.value : advice_bar,
                                     .bar_given = o->max_ulp.given,
                                     .no_broken_cases = o->no_broken_cases};
    int code = 0;
    for (size_t i = 0; i < o->require.count && !code; i++)
        code = policy_require(c, o->require.items[i], e);
    for (size_t i = 0; i < o->allow.count && !code; i++)
        code = policy_allow(c, o->allow.items[i], e);
    return code;
}

static int show(const struct lab_db *l, const char *home, const struct policy_constraints *c,
                const struct options *o, struct error *e)
{
    const bool constrained = policy_is_constrained(c);
    if (o->no_broken_cases && !lab_number(l, "SELECT count(*) FROM cases"))
        return fail(e, EXIT_GATE,
                    "policy: %s: --no-broken-cases: no case study was run; 'ulplab run' runs them",
                    home);
    if (o->emit) return policies_emit(l, home, o->emit, stdout, e);
    json_t *document = o->json ? policies_document(l, home, e) : NULL;
    if (o->json && !document) return EXIT_BAD_INPUT;
    int code = o->json ? record_print(document, e)
                       : policies_write(l, constrained, stdout, terminal_of(stdout), o->quiet, e);
    if (!code && constrained && !policies_advise(l))
        code = fail(
            e, EXIT_GATE,
            "policy: %s: no policy meets the constraints; the verdicts say why, loosen them", home);
    return code;
}

int cmd_policy(const struct options *o, struct error *e)
{
    char home[1024];
    const char *places[] = {home};
    struct policy_constraints constraints;
    struct lab_db l;
    int code = constraints_of(o, &constraints, e);
    if (!code) code = named_folder("policy", o, home, sizeof home, e);
    if (!code) code = db_read(&l, places, 1, e);
    if (code) return code;
    code = db_narrow(&l, o->filters.items, o->filters.count, e);
    if (!code) code = facts_make(&l, constraints.max_ulp, e);
    if (!code) code = policies_make(&l, &constraints, e);
    if (!code) code = show(&l, home, &constraints, o, e);
    lab_close(&l);
    return code;
}
