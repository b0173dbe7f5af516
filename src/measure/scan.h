// SPDX-License-Identifier: MIT
/* A scan: a unary operation on every fp32 input there is, or on a range of them. */
#ifndef ULPLAB_SCAN_H
#define ULPLAB_SCAN_H

#include "measure/scan_plan.h"
#include "model/record.h"
#include "model/registry.h"

struct scan_summary {
    struct tally rows;
    size_t kept; /* rows that were taken from the folder */
};

/* The lab's functions that can be scanned, separated by spaces; those of users are not among them.
 */
void scan_function_names(char *text, size_t size);

/* Runs a scan. It puts one record ("record": "scan") per variant of the operation in the registry.
 * The oracle is evaluated once per block for all of them; variants of equal machine code are
 * evaluated once, and name the one that was ("same_code_as"); code whose results the folder has is
 * not evaluated at all ("kept": true). `seconds` is a variant's own time and its share of the
 * oracle's; "binades" are the figures of each power of two's inputs. The process must not have used
 * OpenMP before. Returns the codes of accuracy_run(). */
int scan_run(const struct scan_plan *, const struct registry *, struct record_sink,
             struct scan_summary *, struct error *);

#endif
