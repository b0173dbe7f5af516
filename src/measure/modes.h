// SPDX-License-Identifier: MIT
/* The value on which most processes agree. A fresh process is one memory layout, and in some
 * layouts a cell takes a multiple of its usual time: times then have two modes, which no mean and
 * no interval describes (docs/measurement.md, "Two modes"). */
#ifndef ULPLAB_MODES_H
#define ULPLAB_MODES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Modes are at least this factor apart. */
#define MODES_APART 1.2
/* A time is steady within this factor: two of those leave their ratio within a tenth. */
#define MODES_STEADY 1.05

/* The values [first, end) of an ascending array; empty where no majority agrees. */
struct majority {
    size_t first, end;
};
/* logs: ascending logarithms of times or of ratios, one per process. The majority is the narrowest
 * window of more than half of them, and whatever lies no farther from it than MODES_APART and than
 * ten times its mean spacing. There is none where two halves of an even count are that far apart.
 */
struct majority modes_majority(const double *logs, size_t count);

/* The modes of a cell's times, ascending: what lies below its majority, the majority, what lies
 * above. usual: which of them is the cell's time: the majority's; the faster of two equal halves,
 * with `tied`. */
enum { MODES_MAX = 3 };
struct mode {
    double time; /* median */
    size_t processes;
};
struct modes {
    struct mode items[MODES_MAX];
    size_t count, usual;
    bool tied;
    double low, high; /* the least and the largest time of the usual mode */
};
/* times: one per process, in any order; no NaN. count 0 for none of them. */
struct modes modes_of(const double *times, size_t count);
/* Returns whether a time, a median over samples, is so far above the lower deciles of its processes
 * (low, NAN for a process without one) that ratios, which are formed of those, may contradict
 * it. */
bool modes_unsteady(double time, const double *low, size_t count);
/* `modes` of a timing record: [{"ns_per_row", "processes"}, ..]. */
json_t *modes_record(const struct modes *m);

#endif
