// SPDX-License-Identifier: MIT
/* The findings of `ulplab flags` as records of flags.jsonl (docs/contract.md). */
#ifndef ULPLAB_FLAGS_RECORDS_H
#define ULPLAB_FLAGS_RECORDS_H

#include "study/flags_cases.h"
#include "study/flags_search.h"

/* The question that was asked. */
struct flags_request {
    const char *base, *all;
    struct flags_wish wish;
};

/* Makes *records, a new array also where it fails: one {"record": "flag"} for each flag that the
 * compiler knows, and one {"record": "flag-set"}, the answer. version: the compiler's. */
int flags_records(const struct flags_lab *lab, const struct flags_found *found,
                  const struct flags_request *request, const char *version,
                  const struct flags_cases *cases, json_t **records, struct error *e);

#endif
