// SPDX-License-Identifier: MIT
/* The agreement of an operation's variants in every bit, along the axes: which of ISA, compiler and
 * policy change a result, with a sentence that summarises it. */
#ifndef ULPLAB_AGREEMENT_H
#define ULPLAB_AGREEMENT_H

#include <stddef.h>

#include "model/registry.h"
#include "study/experiments.h"

struct agreement {
    const struct variant *const *variants; /* of one operation and dtype */
    const size_t *class_of;                /* per variant: equal where all bits are; NO_CLASS */
    size_t count;
};
#define NO_CLASS ((size_t)-1) /* it did not run to the end */

enum axis { AXIS_ISA, AXIS_CC, AXIS_POLICY, AXIS_COUNT };
const char *axis_value(const struct variant *v, enum axis a);

/* Returns whether all variants that differ from this one in that axis alone agree with it;
 * ANSWER_NONE if there is no other. */
enum answer agreement_along(const struct agreement *g, size_t variant, enum axis a);

/* Returns one sentence: the number of bit patterns, the builds {compiler, policy} that agree on all
 * algorithms and ISAs, and the algorithms that have one pattern in all builds. The caller frees. */
char *agreement_sentence(const struct agreement *g);

/* Returns what the variants of a class have in common: "threepass avx512 gcc-12 {default,fast}".
 * The caller frees. */
char *agreement_members(const struct agreement *g, size_t class);

#endif
