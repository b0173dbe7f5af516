// SPDX-License-Identifier: MIT
/* The timed loop, and one visit to a cell. */
#ifndef ULPLAB_WORKER_TIMING_H
#define ULPLAB_WORKER_TIMING_H

#include "measure/worker_data.h"

struct timer {
    struct clock clock;
    struct cycles cycles;
    struct cycles_mark mark; /* the last reading, at this tick */
    uint64_t marked;
    double empty_ticks; /* of a call of a kernel that does nothing */
    uint64_t began;     /* the worker's first tick */
};

void timer_open(struct timer *t, const struct clock *clock);
void timer_close(struct timer *t);
double timer_seconds(const struct timer *t); /* since timer_open() */

struct visit_result timer_visit(struct timer *t, const struct work_header *work,
                                const struct data *d, const struct kernel *k,
                                const struct visit *visit);

#endif
