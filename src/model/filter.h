/* --filter (docs/contract.md): which variants are meant: the same for the registry of a build and
 * for the rows of a result file. */
#ifndef ULPLAB_FILTER_H
#define ULPLAB_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct place {
    const char *id;
    const char *op, *algorithm, *dtype, *isa, *cc, *policy;
};

/* Does the variant match every one of the filters? A filter is space-separated terms, and all
 * must match: KEY=V[,V] with an axis as KEY is exact, anything else a regex on the id. EXIT_USAGE
 * where a regex is malformed, longer than 1000 bytes, or repeats so often that it would take all
 * memory. */
int filter_matches(const struct place *place, const char *const *filters, size_t count, bool *match,
                   struct error *e);

#endif
