// SPDX-License-Identifier: MIT
/* --filter (docs/contract.md): the choice of variants, the same for the registry of a build and for
 * the rows of a result file. */
#ifndef ULPLAB_FILTER_H
#define ULPLAB_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct place {
    const char *id;
    const char *op, *algorithm, *dtype, *isa, *cc, *policy;
};

/* Sets *match to whether the variant matches every filter. A filter is space-separated terms, which
 * must all match: KEY=V[,V] with an axis as KEY is exact, anything else a regex on the id.
 * EXIT_USAGE if a regex is malformed, longer than 1000 bytes, or repeats so often that it would
 * take all memory. */
int filter_matches(const struct place *place, const char *const *filters, size_t count, bool *match,
                   struct error *e);

#endif
