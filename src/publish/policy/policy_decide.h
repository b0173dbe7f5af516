/* Which compiler and policy to recommend, from what is known of each, and why in words. */
#ifndef ULPLAB_POLICY_DECIDE_H
#define ULPLAB_POLICY_DECIDE_H

#include "publish/policy/policy_types.h"

/* Sets pareto, allowed, objection and verdict of every row, and p->recommended with its why. */
void policies_decide(struct policies *p, const struct policy_constraints *constraints);

#endif
