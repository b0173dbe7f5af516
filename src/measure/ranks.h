// SPDX-License-Identifier: MIT
/* The shift of one small sample against another, by ranks: no distribution is assumed. */
#ifndef ULPLAB_RANKS_H
#define ULPLAB_RANKS_H

#include <stddef.h>

/* Values of one sample; no NaN. */
struct sample {
    const double *values;
    size_t count;
};

/* The two-sided p of Mann and Whitney's test (1947). Up to 30 values in all it is exact, ties
 * included: the distribution is the conditional one over all ways to deal these very midranks
 * (Streitberg and Roehmel 1986). Above that the normal approximation, its variance corrected for
 * ties, with continuity correction. NaN where a sample is empty or memory is out. */
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

/* Benjamini and Hochberg (1995): q[i] is the least false discovery rate at which p[i] counts as a
 * discovery. A NaN in p is not counted and gives a NaN in q. Returns 0, or -1 where
 * memory ran out. */
int compare_q(const double *p, double *q, size_t count);

#endif
