/* What there could be beside what a run looks at: objects that this build lacks because nobody
 * asked for them, and variants that it has and that a usual run leaves out. */
#ifndef ULPLAB_COVERAGE_H
#define ULPLAB_COVERAGE_H

#include <stddef.h>

#include "model/registry.h"

/* Variants that were left out for one reason: the first of ISA, operation, type, compiler and
 * policy that nothing of what was looked at has; or, where each of them has been looked at, just
 * not together. */
struct gap {
    char what[16];    /* op; "together" */
    char values[400]; /* gelu, silu */
    size_t variants;
    bool runs_here; /* false: this CPU could not run them */
};
enum { GAPS_MAX = 12 };

/* The gaps between what was looked at, the first `measured` of the registry's variants, and all
 * there could be. Returns how many. */
size_t coverage_gaps(const struct registry *r, size_t measured, const struct absences *a,
                     struct gap gaps[GAPS_MAX]);

#endif
