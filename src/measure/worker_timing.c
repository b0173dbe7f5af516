// SPDX-License-Identifier: MIT
#include "measure/worker_timing.h"

#include <math.h>
#include <omp.h>
#include <sched.h>

#include "base/hash.h"
#include "machine/mxcsr.h"
#include "measure/construct.h"
#include "measure/team.h"

/* ---- The timed loop -------------------------------------------------------------------------- */

struct timed {
    double ticks;
    bool migrated, mxcsr_changed;
};

static void worker_timing_call(void (*run)(const struct job *), const struct job *job, size_t calls)
{
    for (size_t i = 0; i < calls; i++) run(job);
}

static struct timed time_alone(void (*run)(const struct job *), const struct job *job, size_t calls,
                               unsigned modes)
{
    _mm_setcsr(modes);
    int before = sched_getcpu();
    uint64_t start = clock_now();
    worker_timing_call(run, job, calls);
    uint64_t stop = clock_now();
    return (struct timed){(double)(stop - start), sched_getcpu() != before,
                          !modes_restore_after(modes)};
}

/* Performs one thread's part of the calls. Rows of its own need no other thread; for one shared row
 * all threads wait, call by call. */
static void call_part(const struct data *d, const struct kernel *k, unsigned i, size_t calls)
{
    const struct job job = data_job(d, i), mine = team_rows(k, &job, i, d->threads);
    if (team_split(k, d->rows, d->threads) != TEAM_ONE_ROW) {
        worker_timing_call(k->run, &mine, calls);
        return;
    }
    float *shared = (float *)(void *)d->scratch.data;
    for (size_t c = 0; c < calls; c++) team_part(d->gates, k, &job, shared);
}

/* Times all rows on all cores: from the first thread's start, behind a barrier, to the last one's
 * end. The team has woken up before. */
static struct timed time_team(const struct data *d, const struct kernel *k, size_t calls)
{
    uint64_t start = UINT64_MAX, stop = 0;
    bool migrated = false, changed = false;
    const unsigned modes = kernel_modes(k);
#pragma omp parallel num_threads(d->threads)
    {
        _mm_setcsr(modes);
#pragma omp barrier
        int before = sched_getcpu();
        uint64_t begin = clock_now();
        call_part(d, k, (unsigned)omp_get_thread_num(), calls);
        uint64_t end = clock_now();
        struct timed mine = {0, sched_getcpu() != before, !modes_restore_after(modes)};
#pragma omp critical
        {
            if (begin < start) start = begin;
            if (end > stop) stop = end;
            migrated = migrated || mine.migrated;
            changed = changed || mine.mxcsr_changed;
        }
    }
    return (struct timed){(double)(stop - start), migrated, changed};
}

static struct timed time_calls(const struct data *d, const struct kernel *k, size_t calls)
{
    if (d->threads > 1) return time_team(d, k, calls);
    struct job job = data_job(d, 0);
    return time_alone(k->run, &job, calls, kernel_modes(k));
}

static void do_nothing(const struct job *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
}

/* Through a pointer that the compiler cannot see through, as a kernel is called. */
static double cost_of_empty_call(const struct clock *clock)
{
    enum { CALLS = 10000, TRIES = 15 };
    void (*volatile run)(const struct job *) = do_nothing;
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++)
        least = fmin(least, time_alone(run, NULL, CALLS, MXCSR_DEFAULT).ticks - clock->floor_ticks);
    return fmax(least, 0) / CALLS;
}

/* ---- The timer ------------------------------------------------------------------------------- */

void timer_open(struct timer *t, const struct clock *clock)
{
    *t = (struct timer){.clock = *clock, .began = clock_now()};
    clock_pause(&t->clock, 1e-3);
    clock_measure_floor(&t->clock);
    cycles_open(&t->cycles, &t->clock);
    t->empty_ticks = cost_of_empty_call(&t->clock);
}

void timer_close(struct timer *t)
{
    cycles_close(&t->cycles);
}

double timer_seconds(const struct timer *t)
{
    return (double)(clock_now() - t->began) / t->clock.tsc_hz;
}

/* Reads a mark. A count has to enclose its sample; an estimate of the core's rate takes as long as
 * a short sample and is valid for some milliseconds. */
static struct cycles_mark read_mark(struct timer *t)
{
    const double holds_s = 2e-3;
    uint64_t now = clock_now();
    bool fresh = t->marked && (double)(now - t->marked) < holds_s * t->clock.tsc_hz;
    if (t->cycles.source == CYCLES_ESTIMATED && fresh) return t->mark;
    t->marked = now;
    return t->mark = cycles_read(&t->cycles);
}

/* ---- Visits ---------------------------------------------------------------------------------- */

/* Returns the least time in which a core can read its share of the input: two vectors of 64 bytes
 * in each cycle of 6 GHz. */
static double least_read_s(const struct data *d)
{
    return (double)(d->rows * d->n * d->type->bytes) / d->threads / (2 * 64 * 6e9);
}

/* Calls the kernel for at least the time of a warm-up (frequency, power, caches, branches), and
 * finds how many calls fill a sample. The first call may prepare what the others use (a library
 * makes its code then), and any may be interrupted: the fastest calls say how long one takes. Taken
 * for slow, a call would be sampled alone and cold, on every visit. Where reading the input alone
 * fills a sample, one call does, and no second one has to say so. */
static struct visit_result find_calls(struct timer *t, const struct work_header *h,
                                      const struct data *d, const struct kernel *k)
{
    double sample = fmax(h->sample_s * t->clock.tsc_hz, 1000 * t->clock.floor_ticks);
    double spent = 0, per_call = INFINITY;
    const double read = least_read_s(d) * t->clock.tsc_hz, first = time_calls(d, k, 1).ticks;
    if (read >= sample && first >= read)
        return (struct visit_result){.calls = 1, .ns = clock_ns(&t->clock, first)};
    for (size_t calls = 1; spent < h->warmup_s * t->clock.tsc_hz;) {
        double ticks = time_calls(d, k, calls).ticks;
        per_call = fmin(per_call, fmax(ticks / (double)calls, 1));
        spent += ticks;
        calls = (size_t)fmin(2 * (double)calls, 1 + sample / per_call);
    }
    return (struct visit_result){.calls = (size_t)(sample / per_call) + 1,
                                 .ns = clock_ns(&t->clock, per_call)};
}

static struct visit_result take_sample(struct timer *t, const struct data *d,
                                       const struct kernel *k, const struct visit *visit)
{
    if (visit->settled_calls) time_calls(d, k, visit->settled_calls);
    struct cycles_mark before = read_mark(t);
    struct timed timed = time_calls(d, k, visit->calls);
    struct cycles_mark after = read_mark(t);
    double overhead = t->clock.floor_ticks + t->empty_ticks * (double)visit->calls;
    double ns = clock_ns(&t->clock, fmax(timed.ticks - overhead, 1));
    struct visit_result r = {.calls = visit->calls,
                             .ns = ns / (double)visit->calls,
                             .migrated = timed.migrated,
                             .mxcsr_changed = timed.mxcsr_changed};
    r.cycles = cycles_between(&t->cycles, &before, &after, ns, &r.moved) / (double)visit->calls;
    return r;
}

struct visit_result timer_visit(struct timer *t, const struct work_header *work,
                                const struct data *d, const struct kernel *k,
                                const struct visit *visit)
{
    if (visit->calls) return take_sample(t, d, k, visit);
    struct visit_result r = find_calls(t, work, d, k);
    r.empty_ns = clock_ns(&t->clock, t->empty_ticks);
    if (work->hashes_outputs)
        r.hash = hash_bytes(HASH_BASIS, d->y.data, d->rows * d->outputs * d->output_bytes);
    return r;
}
