// SPDX-License-Identifier: MIT
#include "machine/clock.h"

#include <cpuid.h>
#include <stdlib.h>
#include <time.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* ---- Core cycles ----------------------------------------------------------------------------- */

const char *cycles_source_name(enum cycles_source s)
{
    static const char *const names[] = {"none", "perf", "estimated"};
    return names[s];
}

static int open_counter(uint64_t event, int group)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = event,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

void cycles_open(struct cycles *c, const struct clock *clock)
{
    *c = (struct cycles){.source = CYCLES_PERF, .leader = -1, .member = -1, .clock = *clock};
    c->leader = open_counter(PERF_COUNT_HW_CPU_CYCLES, -1);
    if (c->leader >= 0) c->member = open_counter(PERF_COUNT_HW_INSTRUCTIONS, c->leader);
    if (c->member >= 0) return;
    c->why = errno;
    cycles_close(c);
    c->source = CYCLES_ESTIMATED;
}

void cycles_close(struct cycles *c)
{
    if (c->member >= 0) close(c->member);
    if (c->leader >= 0) close(c->leader);
    c->leader = c->member = -1;
}

/* Measures the core's rate by adding a register to a register: some cores perform the addition of a
 * constant while they rename registers, which takes no time. */
double cycles_core_hz(const struct clock *clock)
{
    enum { UNROLLED = 64, ROUNDS = 3000 };
    uint64_t sum = 0, one = 1, rounds = ROUNDS;
    uint64_t start = clock_now();
    __asm__ volatile("1:\n\t"
                     ".rept %c3\n\t"
                     "add %2, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(rounds)
                     : "r"(one), "i"(UNROLLED)
                     : "cc");
    double ticks = (double)(clock_now() - start) - clock->floor_ticks;
    return UNROLLED * ROUNDS * clock->tsc_hz / ticks;
}

struct cycles_mark cycles_read(const struct cycles *c)
{
    struct cycles_mark m = {0};
    struct {
        uint64_t counters, enabled, running, values[2];
    } group;
    if (c->source == CYCLES_ESTIMATED)
        m.hz = cycles_core_hz(&c->clock);
    else if (c->source == CYCLES_PERF && read(c->leader, &group, sizeof group) == sizeof group)
        m = (struct cycles_mark){group.enabled, group.running, group.values[0], 0};
    return m;
}

double cycles_between(const struct cycles *c, const struct cycles_mark *before,
                      const struct cycles_mark *after, double ns, bool *moved)
{
    *moved = false;
    if (c->source == CYCLES_NONE) return NAN;
    if (c->source == CYCLES_PERF) {
        uint64_t enabled = after->enabled - before->enabled;
        bool whole = enabled && after->running - before->running == enabled;
        return whole ? (double)(after->count - before->count) : NAN;
    }
    double low = fmin(before->hz, after->hz), high = fmax(before->hz, after->hz);
    *moved = high > 1.02 * low;
    return ns * 1e-9 * 0.5 * (low + high);
}
