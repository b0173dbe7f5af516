/* The flags of a policy, found in the compile commands that a run recorded. */
#ifndef ULPLAB_POLICY_FLAGS_H
#define ULPLAB_POLICY_FLAGS_H

#include "publish/load/results.h"

/* What (cc, policy) adds to the command line; "" for nothing, or if codegen.jsonl has
 * no such variant. */
void policy_flags(const struct results *r, const char *cc, const char *policy, char *flags,
                  size_t size);

#endif
