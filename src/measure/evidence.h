// SPDX-License-Identifier: MIT
/* Two small samples: their shift by ranks, without an assumption about the distribution, and the
 * slowdown of one side that is significant. */
#ifndef ULPLAB_EVIDENCE_H
#define ULPLAB_EVIDENCE_H

#include <stddef.h>

/* Values of one sample; no NaN. */
struct sample {
    const double *values;
    size_t count;
};

/* The two-sided p of Mann and Whitney's test (1947). Up to 30 values in all it is exact, ties
 * included: the distribution is the conditional one over all ways to deal these very midranks
 * (Streitberg and Roehmel 1986). Above that the normal approximation, its variance corrected for
 * ties, with continuity correction. NaN where a sample is empty. */
double compare_p(struct sample a, struct sample b);

/* The least p that samples of these sizes can ever show: 2 / binomial(m + n, m). */
double compare_least_p(size_t m, size_t n);

/* Hodges and Lehmann's shift: the median of all differences b - a, and the interval that the
 * Mann-Whitney test at 5% does not reject: order statistics of the differences, exact up to 30
 * values. low and high are NaN where the samples are too small for 95% (3 and 3). */
struct shift {
    double estimate, low, high;
};
struct shift compare_shift(struct sample a, struct sample b);

/* ---- The rule for all verdicts `slower` and `faster` (docs/measurement.md, "Comparisons") ---- */

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
