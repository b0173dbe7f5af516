// SPDX-License-Identifier: MIT
/* Robust statistics of few numbers, which assume no distribution, and Student's t. */
#ifndef ULPLAB_STATS_H
#define ULPLAB_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double low, high;
};

/* Ascending, in place; no NaN. */
void stats_sort(double *v, size_t n);

/* Returns a quantile of an ascending array, 0 <= q <= 1, interpolated between neighbours (Hyndman
 * and Fan's type 7). NaN for n = 0. */
double stats_quantile(const double *sorted, size_t n, double q);

/* Returns the median of any array, which it sorts. */
double stats_median(double *v, size_t n);

/* Ranks (from 1) l and n + 1 - l whose order statistics enclose the median with a probability of
 * at least `confidence`, whatever the distribution: the largest such l, 0 where even the extremes
 * do not (95% wants n >= 6). */
size_t stats_median_rank(size_t n, double confidence);

/* `count` clusters of samples: samples[c] has sizes[c] of them. */
struct clusters {
    const double *const *samples;
    const size_t *sizes;
    size_t count;
};

/* 95% interval of the median over clusters of each one's median, by resampling clusters and
 * then samples within them (percentiles of 1000 draws, reproducible). The point estimate lies
 * inside it. For fewer clusters than order statistics need. */
struct interval stats_cluster_bootstrap(const struct clusters *c);

/* 95% interval of the median over clusters: order statistics of their medians where there are
 * enough (*exact), else the bootstrap. */
struct interval stats_median_interval(const struct clusters *c, bool *exact);

/* Returns how many values of an ascending array lie over three interquartile ranges outside of the
 * quartiles (Tukey's far out). */
size_t stats_far_out(const double *sorted, size_t n);

/* Return the two-sided p of a t of Student's distribution, and the t that has a two-sided p. */
double student_p(double t, double freedom);
double student_t(double p, double freedom);

#endif
