#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "model/record.h"
#include "publish/analyse/narrow.h"
#include "publish/analyse/summary.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"

static int constraints_of(const struct options *o, struct policy_constraints *c, struct error *e)
{
    *c = (struct policy_constraints){.max_ulp = o->max_ulp.given ? o->max_ulp.value : advice_bar,
                                     .bar_given = o->max_ulp.given,
                                     .no_broken_cases = o->no_broken_cases};
    int code = 0;
    for (size_t i = 0; i < o->require.count && !code; i++)
        code = policy_require(c, o->require.items[i], e);
    return code;
}

static int show(const struct policies *p, const struct options *o, struct error *e)
{
    if (o->no_broken_cases && !p->cases_known)
        return fail(e, EXIT_GATE,
                    "policy: %s: --no-broken-cases: no case study was run; 'ulplab run' runs them",
                    p->folder);
    if (o->emit) return policies_emit(p, o->emit, stdout, e);
    int code = 0;
    if (o->json)
        code = record_print(policies_document(p), e);
    else
        policies_write(p, stdout, terminal_of(stdout), o->quiet);
    if (!code && p->constrained && !p->recommended)
        code =
            fail(e, EXIT_GATE,
                 "policy: %s: no policy meets the constraints; the verdicts say why, loosen them",
                 p->folder);
    return code;
}

static int choose(const struct results *r, const char *home,
                  const struct policy_constraints *constraints, const struct options *o,
                  struct error *e)
{
    struct lab_db db;
    struct policies p;
    int code = db_read(&db, &home, 1, e);
    if (code) return code;
    code = policies_make(r, &db, home, constraints, &p, e);
    if (!code) {
        code = show(&p, o, e);
        policies_free(&p);
    }
    lab_close(&db);
    return code;
}

int cmd_policy(const struct options *o, struct error *e)
{
    char home[1024];
    struct policy_constraints constraints;
    struct results r;
    int code = constraints_of(o, &constraints, e);
    if (!code) code = named_folder("policy", o, home, sizeof home, e);
    if (!code) code = results_read(home, &r, e);
    if (code) return code;
    code = results_narrow(&r, o->filters.items, o->filters.count, e);
    if (!code) code = choose(&r, home, &constraints, o, e);
    results_free(&r);
    return code;
}
