/* policy: which compiler and which floating-point policy to ship, from one folder of results. */
#ifndef ULPLAB_POLICY_H
#define ULPLAB_POLICY_H

#include "model/lab_db.h"
#include "publish/policy/policy_emit.h"
#include "publish/policy/policy_types.h"
#include "publish/policy/policy_write.h"

/* db: of the same folder (db_read()). Reads the folder's cases.jsonl and diverge.jsonl too, where
 * they are. EXIT_BAD_INPUT where they are malformed, EXIT_USAGE where there is nothing to choose
 * from. policies_free() afterwards. */
int policies_make(const struct results *r, const struct lab_db *db, const char *folder,
                  const struct policy_constraints *constraints, struct policies *p,
                  struct error *e);

#endif
