// SPDX-License-Identifier: MIT
/* The time-stamp counter, and the conversion of its ticks to nanoseconds. Ticks are not cycles:
 * src/machine/cycles.h has the core's own clock. */
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

#endif
