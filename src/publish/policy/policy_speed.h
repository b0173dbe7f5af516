/* How fast each compiler and policy is, over the kernels that fit. */
#ifndef ULPLAB_POLICY_SPEED_H
#define ULPLAB_POLICY_SPEED_H

#include "publish/compare/compare.h"
#include "publish/policy/policy_types.h"

/* To be called in this order. The first sets the speed of `off` relative to itself, the second that
 * of the other policies, from a comparison of the policies. The third makes compilers comparable:
 * all speeds relative to `off` of the first compiler, from a comparison of the compilers (NULL
 * where there is only one). */
void policy_speed_of_off(const struct results *r, struct policies *p);
void policy_speeds_over_off(const struct comparison *c, struct policies *p);
void policy_speeds_over_first(const struct comparison *c, struct policies *p);

#endif
