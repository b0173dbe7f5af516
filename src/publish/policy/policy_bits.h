/* Whether the bits of kernels are equal over ISAs and compilers. */
#ifndef ULPLAB_POLICY_BITS_H
#define ULPLAB_POLICY_BITS_H

#include "publish/compare/compare.h"
#include "publish/policy/policy_types.h"

/* Set the stability of each row's kernels, from a comparison of the ISAs or of the compilers. */
void policy_stable_over_isas(const struct comparison *c, struct policies *p);
void policy_stable_over_compilers(const struct comparison *c, struct policies *p);

#endif
