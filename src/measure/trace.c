// SPDX-License-Identifier: MIT
#include "measure/trace.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "machine/mxcsr.h"
#include "measure/isolate.h"
#include "measure/loop_code.h"
#include "measure/worker_timing.h"
#include "oracle/oracle.h"

/* ---- Stepping -------------------------------------------------------------------------------- */

/* The signal handler's buffer, only used in the child. */
static struct trace *stepped;

static void note_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    enum { TRAP_FLAG = 0x100 };
    greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct trace *t = stepped;
    if (t->count < TRACE_STEPS_MAX) {
        t->steps[t->count++] = (uintptr_t)gregs[REG_RIP];
        return;
    }
    t->cut = true;
    gregs[REG_EFL] &= ~TRAP_FLAG; /* the rest of the call is not followed */
}

/* Sets or clears the trap flag: while it is set, the processor stops after every instruction. */
static inline void trap(bool on)
{
    if (on)
        __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    else
        __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static bool begin_stepping(struct trace *t)
{
    struct sigaction action = {.sa_sigaction = note_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    enum { STACK_BYTES = 1 << 16 };
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    stepped = t;
    return stack.ss_sp && sigaltstack(&stack, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0;
}

/* The flags' own instructions around the call are steps too: those of this file do not count. */
static void step_through(struct trace *t, void (*run)(const struct job *), const struct job *j)
{
    t->count = 0;
    t->cut = false;
    t->rows = j->rows;
    trap(true);
    run(j);
    trap(false);
}

/* Steps through as many rows as there is room for. */
static void step_through_rows(struct trace *t, void (*run)(const struct job *), struct job *j)
{
    enum { FEWER = 8 };
    if (!begin_stepping(t)) return;
    step_through(t, run, j);
    while (t->cut && j->rows > 1) {
        j->rows = (j->rows + FEWER - 1) / FEWER;
        step_through(t, run, j);
    }
}

/* ---- The child ------------------------------------------------------------------------------- */

struct request {
    const struct cell *cell;
    const struct bench_setup *setup;
    const struct cpu *cpu;
    double nops_per_cycle;
    struct trace *shared;
};

/* Calls of a kernel, one after the other. */
struct calls {
    const struct kernel *kernel;
    const struct job *job;
    const struct clock *clock;
    size_t count;
};

static double run_calls(void *context)
{
    const struct calls *c = context;
    uint64_t begin = clock_now();
    for (size_t i = 0; i < c->count; i++) c->kernel->run(c->job);
    return (double)(clock_now() - begin) - c->clock->floor_ticks;
}

/* Returns the cycles of a call. A sample is some 30 us long; disturbances only make it longer. */
static double call_cycles(struct loop_code *l, const struct kernel *k, const struct job *j,
                          double *ns, const struct clock *clock)
{
    enum { SAMPLES = 60, CALLS_MAX = 1 << 16 };
    const double sample_s = 30e-6;
    double cycles[SAMPLES], times[SAMPLES];
    struct calls calls = {k, j, clock, 1};
    while (calls.count < CALLS_MAX && run_calls(&calls) < sample_s * clock->tsc_hz)
        calls.count *= 2;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct loop_sample sample = loop_sample(l, run_calls, &calls);
        times[i] = sample.ticks / (double)calls.count;
        cycles[i] = sample.cycles / (double)calls.count;
    }
    *ns = clock_ns(clock, loop_quartile(times, SAMPLES));
    return loop_quartile(cycles, SAMPLES);
}

static void trace_work(void *context, int channel)
{
    const struct request *q = context;
    const struct cell *c = q->cell;
    const struct kernel *k = variant_file_kernel(c->variant);
    struct error e;
    double ns;
    struct work_header header = {.orders = 1,
                                 .clock = q->setup->clock,
                                 .effective = q->setup->effective,
                                 .seed = 1,
                                 .layout = 1,
                                 .parameters = parameters_default};
    struct data_store store = {.work = &header, .topology = &q->setup->topology};
    struct work_order order = {
        .rows = c->rows, .n = c->n, .threads = 1, .log_output = c->variant->kernel->log_output};
    (void)channel;
    snprintf(order.family, sizeof order.family, "%s", c->family);
    if (topology_pin(&q->setup->topology, topology_quiet_core(&q->setup->topology), &e)) return;
    struct loop_code *l = loop_new(q->cpu, &q->setup->clock);
    struct job job = data_job(data_for(&store, &order, k), 0);
    if (!l) return;
    loop_wait_for_core(l, q->nops_per_cycle);
    k->run(&job);
    q->shared->cycles = q->shared->ns = q->shared->cycles_flushed = INFINITY;
    for (size_t round = 0; round < 2; round++) {
        const double cycles = call_cycles(l, k, &job, &ns, &q->setup->clock);
        q->shared->cycles = fmin(q->shared->cycles, cycles);
        q->shared->ns = fmin(q->shared->ns, ns);
        _mm_setcsr(MXCSR_DEFAULT | 0x8040);
        const double flushed = call_cycles(l, k, &job, &ns, &q->setup->clock);
        q->shared->cycles_flushed = fmin(q->shared->cycles_flushed, flushed);
        modes_restore();
    }
    step_through_rows(q->shared, k->run, &job);
}

int trace_run(struct trace *t, const struct cell *c, const struct bench_setup *s,
              const struct cpu *cpu, double nops_per_cycle, struct error *e)
{
    const double silence_s = 120;
    struct trace *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uintptr_t *steps = mmap(NULL, TRACE_STEPS_MAX * sizeof *steps, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *t = (struct trace){.count = 0};
    if (shared == MAP_FAILED || steps == MAP_FAILED)
        return fail(e, EXIT_PARTIAL, "explain: out of memory; free some");
    *shared = (struct trace){.steps = steps};
    struct request q = {c, s, cpu, nops_per_cycle, shared};
    enum status status = isolate_run(trace_work, NULL, &q, silence_s);
    *t = *shared;
    munmap(shared, sizeof *shared);
    if (status == STATUS_OK && t->count) return 0;
    trace_free(t);
    return fail(e, EXIT_PARTIAL, "explain: %s: %s while it was single-stepped", c->variant->id,
                status_name(status));
}

void trace_free(struct trace *t)
{
    if (t->steps) munmap(t->steps, TRACE_STEPS_MAX * sizeof *t->steps);
    *t = (struct trace){.count = 0};
}
