/* What each policy changes in speed, errors and bits, over the cells that all of them have. */
#ifndef ULPLAB_POLICY_FIGURES_H
#define ULPLAB_POLICY_FIGURES_H

#include "model/lab_db.h"
#include "publish/policy/policy_types.h"

/* Sets speed, overall, error, max_ulp, mean_ulp, same_code and same_bits of each row, whose kernels
 * are known. EXIT_BAD_INPUT where the folder's records are malformed. */
int policy_figures(const struct lab_db *db, const struct policy_constraints *constraints,
                   struct policies *p, struct error *e);

#endif
