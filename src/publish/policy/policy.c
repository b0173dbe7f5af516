#include "publish/policy/policy.h"

#include "publish/policy/policy_decide.h"
#include "publish/policy/policy_facts.h"

int policies_make(const struct results *r, const struct lab_db *db, const char *folder,
                  const struct policy_constraints *constraints, struct policies *p, struct error *e)
{
    *p = (struct policies){.results = r, .folder = folder};
    int code = identical_measure(r, &p->identical, e);
    if (!code) code = policy_facts(r, db, constraints, p, e);
    if (code)
        policies_free(p);
    else
        policies_decide(p, constraints);
    return code;
}
