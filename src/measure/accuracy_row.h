// SPDX-License-Identifier: MIT
/* A row of `accuracy`: whether a variant keeps its file's promises on a block, and the record. */
#ifndef ULPLAB_ACCURACY_ROW_H
#define ULPLAB_ACCURACY_ROW_H

#include <jansson.h>

#include "measure/score.h"
#include "model/registry.h"

struct accuracy_row {
    const struct variant *variant;
    const struct oracle *oracle; /* NULL: the operation has none */
    const char *family;          /* NULL: the variant was measured on no block */
    size_t n;
    const char *inputs; /* the hash of inputs that were read, or NULL: they can be made again */
    uint64_t seed;
    int grid; /* the version of the families' inputs; 0: of no family */
    enum status status;
    enum row_verdict verdict;  /* of a row that has a score */
    const char *reason;        /* "" if there is none */
    const char *beside;        /* the variant that its faults stand beside, or NULL */
    const struct score *score; /* NULL where nothing was measured */
};

/* Returns the row's verdict on the promises that the variant's file makes (include/kernel.h), with
 * the reason if one is broken, or if none bounds the errors. A hazard, and a policy that promises
 * nothing, break none; leaving modes changed breaks the contract whatever the file promises. */
enum row_verdict row_verdict(const struct variant *v, const struct oracle *op, enum family family,
                             size_t n, const struct score *s, char *reason, size_t reason_size);

json_t *accuracy_record(const struct accuracy_row *row);

#endif
