// SPDX-License-Identifier: MIT
/* The two clocks of a core: the time-stamp counter, whose ticks become nanoseconds, and the core's
 * own cycles. Ticks are not cycles. */
#ifndef ULPLAB_CLOCK_H
#define ULPLAB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    double tsc_hz;      /* against CLOCK_MONOTONIC_RAW */
    double floor_ticks; /* median of a start and a stop with nothing between them */
};

/* Reads the counter, where a time begins and where it ends. lfence before it waits for earlier
 * instructions; lfence after it keeps later ones from beginning. No cpuid, which traps in a virtual
 * machine, and no rdtscp, which some hide. */
static inline uint64_t clock_now(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Calibrates over `seconds` (0.02 is good to some 10 ppm) and measures the floor. */
void clock_calibrate(struct clock *c, double seconds);
/* Measures the floor alone, on the caller's present core. */
void clock_measure_floor(struct clock *c);

static inline double clock_ns(const struct clock *c, double ticks)
{
    return ticks * 1e9 / c->tsc_hz;
}

/* Spins on integers for that long, so that a core leaves its wide-vector state. */
void clock_pause(const struct clock *c, double seconds);

/* Returns whether CPUID says that the counter has one rate in every power state. */
bool clock_is_invariant(void);

/* Core cycles, never derived from the time-stamp counter's rate: counted by the CPU where the
 * system allows it, otherwise estimated from the time of a chain of known length. */

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
