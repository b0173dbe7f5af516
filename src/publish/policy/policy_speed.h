/* How fast each compiler and policy is, over the kernels that fit. */
#ifndef ULPLAB_POLICY_SPEED_H
#define ULPLAB_POLICY_SPEED_H

#include "publish/compare/compare.h"
#include "publish/policy/policy_types.h"

/* In this order: `off` is the unit of its own compiler; then the other policies, from a comparison
 * of the policies; then all of them in the unit of the first compiler's `off`, from a comparison of
 * the compilers, or NULL where there is one. */
void policy_speed_of_off(const struct results *r, struct policies *p);
void policy_speeds_over_off(const struct comparison *c, struct policies *p);
void policy_speeds_over_first(const struct comparison *c, struct policies *p);

#endif
