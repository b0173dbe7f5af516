/* Whether the bits of kernels are equal over ISAs and compilers. */
#ifndef ULPLAB_POLICY_BITS_H
#define ULPLAB_POLICY_BITS_H

#include "model/lab_db.h"
#include "publish/policy/policy_types.h"

/* Sets the stability of each row's kernels. */
int policy_stable(const struct lab_db *l, struct policies *p, struct error *e);

#endif
