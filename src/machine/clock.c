// SPDX-License-Identifier: MIT
#include "machine/clock.h"

#include <cpuid.h>
#include <stdlib.h>
#include <time.h>

/* The counter and the system's clock at one moment. */
struct moment {
    uint64_t ticks;
    double s;
};

static double clock_seconds_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the tightest of some brackets around a reading of the system's clock: an interrupt inside
 * a bracket makes it wide. */
static struct moment moment_now(void)
{
    struct moment best = {0};
    uint64_t width = UINT64_MAX;
    for (int i = 0; i < 32; i++) {
        uint64_t before = clock_now();
        double s = clock_seconds_of(CLOCK_MONOTONIC_RAW);
        uint64_t after = clock_now();
        if (after - before >= width) continue;
        width = after - before;
        best = (struct moment){.ticks = before + width / 2, .s = s};
    }
    return best;
}

static int clock_by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void clock_measure_floor(struct clock *c)
{
    enum { READINGS = 1001 };
    uint64_t ticks[READINGS];
    for (int i = 0; i < READINGS; i++) {
        uint64_t start = clock_now();
        ticks[i] = clock_now() - start;
    }
    qsort(ticks, READINGS, sizeof *ticks, clock_by_value);
    c->floor_ticks = (double)ticks[READINGS / 2];
}

void clock_calibrate(struct clock *c, double seconds)
{
    struct moment from = moment_now(), to = from;
    while (to.s - from.s < seconds) to = moment_now();
    c->tsc_hz = (double)(to.ticks - from.ticks) / (to.s - from.s);
    clock_measure_floor(c);
}

void clock_pause(const struct clock *c, double seconds)
{
    uint64_t start = clock_now();
    while ((double)(clock_now() - start) < seconds * c->tsc_hz)
        for (int i = 0; i < 1000; i++) __asm__ volatile("");
}

bool clock_is_invariant(void)
{
    enum { ADVANCED_POWER_MANAGEMENT = 0x80000007, INVARIANT_TSC = 1 << 8 };
    unsigned a, b, c, d;
    return __get_cpuid(ADVANCED_POWER_MANAGEMENT, &a, &b, &c, &d) && (d & INVARIANT_TSC);
}
