// SPDX-License-Identifier: MIT
/* Ratios of times that were measured side by side: one value from each process, and from those an
 * estimate, an interval and a p. */
#ifndef ULPLAB_RATIO_H
#define ULPLAB_RATIO_H

#include <stdbool.h>
#include <stddef.h>

/* The share of a cell's samples of one process that are faster than the time that represents them
 * all. A disturbance only ever adds time, and cells that were sampled in turn all had their quiet
 * moments (docs/measurement.md, "Ratios", has what else was tried). */
#define RATIO_QUANTILE 0.1

/* A block is steady where the ratios of its controls to the cells that they repeat have a
 * half-width of at most this, most of them. Runs try to get there, and reports say where they did
 * not. */
#define RATIO_STEADY 0.01

/* value: exp of the median of the majority's logs (measure/modes.h): it stands where fewer than
 * half of the processes are off; NAN where no majority agrees. low, high: exp of that and of
 * Student's 95% half-width over the majority; NAN for fewer than three processes. p: of Student's
 * two-sided test that the ratio is 1. processes: all; off: those outside of the majority, all of
 * them where there is none. */
struct ratio {
    double value, low, high, p;
    size_t processes, off;
};
/* logs: one logarithm of a ratio per process, sorted here; no NaN. */
struct ratio ratio_of_logs(double *logs, size_t count);
/* Returns the same without interval and p, which cost a hundred times as much. */
struct ratio ratio_value_of_logs(double *logs, size_t count);
/* Returns whether it has no value because two values have equally many processes. */
bool ratio_is_tied(struct ratio r);

/* One measured quantity per process: NAN where a process has none. */
struct by_process {
    const double *values;
    size_t count;
};
/* Time of b over time of a, of the processes that have both. */
struct ratio ratio_of_times(struct by_process a, struct by_process b);
struct ratio ratio_value_of_times(struct by_process a, struct by_process b);

/* Geometric means over several ratios: formed within each process, because what disturbs a process
 * disturbs all of its cells, and only then compared between processes. */
enum { RATIO_PROCESSES_MAX = 256 };
struct ratio_mean {
    double sums[RATIO_PROCESSES_MAX];
    size_t counts[RATIO_PROCESSES_MAX];
    size_t ratios;   /* that were added */
    size_t left_out; /* that were not, because they are tied */
};
/* Adds one ratio; returns false if it has no value. In a process that is off its majority, the
 * ratio's value is used instead. */
bool ratio_mean_add(struct ratio_mean *m, struct by_process a, struct by_process b);
/* Adds the mean of a part as one ratio, so that each operation has the same weight whatever the
 * number of its ratios. A part without ratios adds nothing. */
void ratio_mean_join(struct ratio_mean *m, const struct ratio_mean *part);
/* Over the processes that have all of the ratios added, or where there are fewer than three of
 * those, over those that have any. */
struct ratio ratio_mean_value(const struct ratio_mean *m);

/* The 95% half-width of a cell's time over another one's, as a share of it. NAN for fewer than
 * three processes. */
double ratio_half_width(struct by_process cell, struct by_process other);
/* widths[count]: the half-width of each cell's time over the median of its block's cells in the
 * same process; of its time alone, where the block has no other cell. */
void ratio_half_widths(const struct by_process *cells, size_t count, double *widths);

#endif
