// SPDX-License-Identifier: MIT
/* Accuracy: every variant of a registry against the oracle, on blocks of inputs that are made, and
 * whose exact values are computed, once for all variants of an operation. */
#ifndef ULPLAB_ACCURACY_H
#define ULPLAB_ACCURACY_H

#include "measure/accuracy_inputs.h"
#include "measure/score.h"
#include "model/record.h"
#include "model/registry.h"

/* Puts one record ("record": "accuracy") per variant and block, in a fixed order: two runs on one
 * machine are byte-identical. A variant that is skipped, unbuilt, or of an operation without an
 * oracle has one row without family and n; one that dies has its status in the row where it died,
 * and in the rest of its rows. The process must not have used OpenMP before.
 * The tally is of rows. 0; EXIT_GATE where a promise fell; EXIT_PARTIAL where a variant died; or
 * what went wrong. */
int accuracy_run(const struct accuracy_request *, const struct registry *, struct record_sink,
                 struct tally *, struct error *);

/* Returns a row's verdict on the promises that the variant's file makes (include/kernel.h), with
 * the reason if one is broken, or if none bounds the errors. A hazard, and a policy that promises
 * nothing, break none; leaving modes changed breaks the contract whatever the file promises. */
enum row_verdict row_verdict(const struct variant *, const struct oracle *, enum family, size_t n,
                             const struct score *, char *reason, size_t size);

#endif
