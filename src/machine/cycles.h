// SPDX-License-Identifier: MIT
/* Core cycles, never derived from the time-stamp counter's rate: counted by the CPU where the
 * system allows it, otherwise estimated from the time of a chain of known length. */
#ifndef ULPLAB_CYCLES_H
#define ULPLAB_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/clock.h"

enum cycles_source { CYCLES_NONE, CYCLES_PERF, CYCLES_ESTIMATED };
const char *cycles_source_name(enum cycles_source s); /* "none", "perf", "estimated" */

struct cycles {
    enum cycles_source source;
    int leader, member; /* perf: one group of {cycles, instructions}, this process, user mode */
    int why;            /* errno of perf_event_open where it was refused */
    struct clock clock;
};

/* Opens perf if perf_event_open grants it, otherwise the estimate. Counts the calling thread
 * alone. */
void cycles_open(struct cycles *c, const struct clock *clock);
void cycles_close(struct cycles *c);

/* A reading before or after a sample, outside of the time that is measured. */
struct cycles_mark {
    uint64_t enabled, running, count; /* perf */
    double hz;                        /* estimated: the core's rate, just now */
};
struct cycles_mark cycles_read(const struct cycles *c);

/* Returns the core cycles of a sample of `ns` between two marks; NaN if perf multiplexed its group.
 * *moved: estimated, and the core's rate differed by over 2% between the marks. */
double cycles_between(const struct cycles *c, const struct cycles_mark *before,
                      const struct cycles_mark *after, double ns, bool *moved);

/* Returns the core's rate, by a dependent chain of integer additions of some 50 us. */
double cycles_core_hz(const struct clock *clock);

#endif
