// SPDX-License-Identifier: MIT
/* Coverage: what a run does not measure: objects that this build lacks because it was not asked for
 * them, and variants that it has but a default run leaves out. */
#ifndef ULPLAB_COVERAGE_H
#define ULPLAB_COVERAGE_H

#include <stddef.h>

#include "model/registry.h"

/* Variants that were left out for one reason: the first of ISA, operation, type, compiler and
 * policy that occurs in nothing that was measured, or, if each of them occurs, their
 * combination. */
struct gap {
    char what[16];    /* op; "together" */
    char values[400]; /* gelu, silu */
    size_t variants;
    bool runs_here; /* false: this CPU could not run them */
};
enum { GAPS_MAX = 12 };

/* Finds the gaps between the measured variants (the first `measured` of the registry) and all
 * possible ones. Returns their number. */
size_t coverage_gaps(const struct registry *r, size_t measured, const struct absences *a,
                     struct gap gaps[GAPS_MAX]);

#endif
