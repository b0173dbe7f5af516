// SPDX-License-Identifier: MIT
/* policy: which compiler and which floating-point policy to ship, from one run. */
#ifndef ULPLAB_POLICY_H
#define ULPLAB_POLICY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "model/lab_db.h"

/* Constraints on kernels. A policy is allowed if every operation has a kernel that meets them.
 * Where any is given, figures are over the kernels that meet them under every policy that is safe
 * and has such kernels. */
struct policy_constraints {
    const char *folder;   /* as given on the command line; NULL: not given */
    double max_ulp;       /* the bar of advice (sql/facts.h); NAN: none */
    bool bar_given;       /* else an operation that no policy keeps within the bar is not counted */
    bool no_broken_cases; /* of the policy as a whole */
    /* Equal bits over it: "isa-stable", "cc-stable", "tail-stable", "thread-stable", "invariant"
     * (all of them). */
    const char *const *require;
    size_t require_count;
    /* Guarantees that a policy may give up: "reassociation", the order of additions; "lost",
     * results, where NaN and infinities are not honoured; "subnormals"; and "no-bits", which
     * narrows: every kernel keeps the bits of `off`. */
    const char *const *allow;
    size_t allow_count;
};

/* Makes the tables of sql/policy.sql in addition to those of facts_make(). EXIT_USAGE for an
 * unknown word, and if there is nothing to choose from. policy_text.sql and policy_document.sql
 * print them. */
int policies_make(const struct lab_db *l, const struct policy_constraints *, struct error *e);

/* Writes the flags for a build file: "make", "cmake", "meson", "bazel" or "json". EXIT_USAGE for
 * another format, EXIT_GATE if nothing is recommended. */
int policies_emit(const struct lab_db *l, const char *format, FILE *out, struct error *e);

/* The sets among the records of flags.jsonl, each for its kernel's file; also "json". EXIT_GATE
 * where there is none. */
int flags_emit(const json_t *records, const char *format, FILE *out, struct error *e);

#endif
