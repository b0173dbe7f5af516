// SPDX-License-Identifier: MIT
/* The comparison of two explained variants. */
#ifndef ULPLAB_EXPLAIN_TWO_H
#define ULPLAB_EXPLAIN_TWO_H

#include <jansson.h>

#include "study/explain_types.h"

/* A line of the two hottest loops side by side: indices of their ops, or -1 where the other loop
 * has nothing like it. both: the same form; changed: different forms that stand for each other. */
struct explained_line {
    int a, b;
    bool changed;
};
/* Returns the number of lines, at most a->op_count + b->op_count; the caller frees *lines. */
size_t explain_align(const struct explained *a, const struct explained *b,
                     struct explained_line **lines);
/* Writes an instruction of the hottest loop as assemblers do, destination first. */
void explain_op_text(const struct explained *x, size_t i, char *text, size_t size);
/* Returns the instructions of a kind in a call, per vector of `lanes` elements. */
double explain_count(const struct explained *x, enum code_kind kind, unsigned lanes);
/* Returns what changed from a to b: counts by kind, pairs that became FMAs, and whether that
 * accounts for the time. */
json_t *explain_difference(const struct explained *a, unsigned a_lanes, const struct explained *b,
                           unsigned b_lanes);

#endif
