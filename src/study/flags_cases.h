// SPDX-License-Identifier: MIT
/* Which case studies break under sets of flags, by one compiler for one ISA. */
#ifndef ULPLAB_FLAGS_CASES_H
#define ULPLAB_FLAGS_CASES_H

#include <jansson.h>

#include "study/flags_table.h"
#include "study/workshop.h"

struct flags_cases {
    struct workshop shop;
    const struct flag_table *table;
    const char *cc, *isa;
    json_t *broken; /* by the set's number in hex: an array of the names of cases */
};

/* folder: of the small lab. */
int flags_cases_open(struct flags_cases *c, const char *folder, struct error *e);
void flags_cases_close(struct flags_cases *c);

/* Builds what the cases study under the baseline and these sets, those that are new, and runs the
 * cases. */
int flags_cases_judge(struct flags_cases *c, const flag_set *sets, size_t count, struct error *e);
/* The names of the cases that are broken under a set and not under another: a new array; null where
 * one of them was not judged, or c is NULL. */
json_t *flags_cases_beyond(const struct flags_cases *c, flag_set set, flag_set other);

#endif
