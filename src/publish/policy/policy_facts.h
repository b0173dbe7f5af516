/* What the records say of each compiler and policy: everything of struct policies but the
 * decision. */
#ifndef ULPLAB_POLICY_FACTS_H
#define ULPLAB_POLICY_FACTS_H

#include "model/lab_db.h"
#include "publish/policy/policy_types.h"

/* Fills in p->rows and what is known of them, over the kernels that meet the constraints. Returns
 * as policies_make(); policies_free() frees the rows also after an error. */
int policy_facts(const struct results *r, const struct lab_db *db,
                 const struct policy_constraints *constraints, struct policies *p, struct error *e);

#endif
