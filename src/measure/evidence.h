// SPDX-License-Identifier: MIT
/* By how much one side of a comparison is surely slower: the one rule behind every `slower` and
 * `faster` (docs/measurement.md, "Comparisons"). */
#ifndef ULPLAB_EVIDENCE_H
#define ULPLAB_EVIDENCE_H

#include "measure/ranks.h"

/* The logarithm of the factor by which b is slower (faster) than a beyond doubt; negative: it would
 * have to be slower by so much more to be found. NAN where nothing can tell. */
struct evidence {
    double slower, faster;
};

/* a, b: logarithms of a cell's times, one per process; or a is empty, and b holds those of the
 * ratios of processes that timed both side by side. shift: subtracted from b. prior: the variance
 * of usual cells (evidence_variance()); NAN: unknown.
 *
 * Two experiments, of which the one that proves more counts: the sides are disjoint, if there are
 * processes enough for that; and Student's t over each side's majority (measure/modes.h), whose
 * variance is moderated towards the prior as limma does it (Smyth 2004): few processes give a poor
 * variance, and the other cells of a run say what is usual. */
struct evidence evidence_of(struct sample a, struct sample b, double shift, double prior);

/* The variance within the sides, pooled over their majorities; NAN below one degree of freedom. */
double evidence_variance(struct sample a, struct sample b);

#endif
