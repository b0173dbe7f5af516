// SPDX-License-Identifier: MIT
/* policy: which compiler and which floating-point policy to ship, from one run. */
#ifndef ULPLAB_POLICY_H
#define ULPLAB_POLICY_H

#include <jansson.h>
#include <stdio.h>

#include "model/lab_db.h"
#include "publish/render/table.h"

/* Constraints on kernels. A policy is allowed if every operation has a kernel that meets them.
 * Where any is given, figures are over the kernels that meet them under every policy that is safe
 * and has such kernels. */
enum stable_over { OVER_ISA, OVER_CC, OVER_TAIL, OVER_THREADS, OVER_COUNT };
/* The guarantees that a policy may give up: the order of additions; results, where NaN and
 * infinities are not honoured; subnormal results. */
enum policy_gift { GIFT_REASSOCIATION, GIFT_LOST, GIFT_SUBNORMALS, GIFT_COUNT };
struct policy_constraints {
    double max_ulp; /* the bar of advice (sql/facts.h); NAN: none */
    bool bar_given; /* else an operation that no policy keeps within the bar is not counted */
    bool require[OVER_COUNT]; /* equal bits over it */
    bool no_broken_cases;     /* of the policy as a whole */
    bool no_bits;             /* every kernel keeps the bits of `off` */
    bool allow[GIFT_COUNT];
};
/* "isa-stable", "cc-stable", "tail-stable", "thread-stable", "invariant" (all of them).
 * EXIT_USAGE for another word. */
int policy_require(struct policy_constraints *constraints, const char *word, struct error *e);
/* "reassociation", "lost", "subnormals", and "no-bits", which narrows. EXIT_USAGE for another word.
 */
int policy_allow(struct policy_constraints *constraints, const char *word, struct error *e);
bool policy_is_constrained(const struct policy_constraints *);

/* Makes the tables of sql/policy.sql beside those of facts_make(). EXIT_USAGE where there is
 * nothing to choose from. */
int policies_make(const struct lab_db *l, const struct policy_constraints *, struct error *e);

/* Returns whether any policy is recommended. */
bool policies_advise(const struct lab_db *l);
/* Writes the policies for people. */
int policies_write(const struct lab_db *l, bool constrained, FILE *out, struct terminal terminal,
                   bool brief, struct error *e);
/* The contract's document; NULL with an error. */
json_t *policies_document(const struct lab_db *l, const char *folder, struct error *e);
/* Writes what to paste into a build: "make", "cmake", "meson" or "json". EXIT_USAGE for another
 * format, EXIT_GATE where nothing is recommended. */
int policies_emit(const struct lab_db *l, const char *folder, const char *format, FILE *out,
                  struct error *e);

#endif
