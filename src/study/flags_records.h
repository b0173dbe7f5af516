// SPDX-License-Identifier: MIT
/* What `ulplab flags` found, as records of flags.jsonl (docs/contract.md). */
#ifndef ULPLAB_FLAGS_RECORDS_H
#define ULPLAB_FLAGS_RECORDS_H

#include "study/flags_cases.h"
#include "study/flags_search.h"

/* What was asked for. */
struct flags_request {
    const char *base, *all;
    struct flags_wish wish;
};

/* One {"record": "flag"} for each flag that the compiler knows, and one {"record": "flag-set"}, the
 * answer. version: the compiler's. cases: NULL where they were not run. A new array. */
json_t *flags_records(const struct flags_lab *lab, const struct flags_found *found,
                      const struct flags_request *request, const char *version,
                      const struct flags_cases *cases);

/* What is given up, as in an answer: an array of "lost", "no-bits". */
json_t *flags_allow_record(const struct flags_allowance *allowed);

/* The answer in a sentence. */
void flags_sentence(const json_t *set, char *text, size_t size);

#endif
