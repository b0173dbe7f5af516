// SPDX-License-Identifier: MIT
#include "measure/trace.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <Zydis/Zydis.h>

#include "machine/mxcsr.h"
#include "measure/isolate.h"
#include "measure/loop_code.h"
#include "measure/worker_data.h"
#include "oracle/oracle.h"

/* ---- Addresses of memory --------------------------------------------------------------------- */

/* An instruction's memory address: gregs indices; -1: no register. */
struct address {
    uintptr_t at; /* of the instruction; 0: an unused entry of the table */
    bool none;
    signed char base, index;
    unsigned char scale;
    intptr_t displacement;
};
enum { ADDRESSES = 1 << 14, NO_REGISTER = -1 };

static int greg_of(ZydisRegister r)
{
    static const int gregs[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};
    r = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15 ? gregs[r - ZYDIS_REGISTER_RAX]
                                                              : NO_REGISTER;
}

static struct address decode_address(const ZydisDecoder *decoder, uintptr_t at)
{
    struct address a = {.at = at, .none = true, .base = NO_REGISTER, .index = NO_REGISTER};
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const void *code = NULL;
    memcpy(&code, &at, sizeof code);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, INSTRUCTION_BYTES_MAX, &i, operands)))
        return a;
    for (unsigned k = 0; k < i.operand_count && a.none; k++) {
        const ZydisDecodedOperand *o = &operands[k];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM) continue;
        bool relative = o->mem.base == ZYDIS_REGISTER_RIP;
        bool by_vector = ZydisRegisterGetClass(o->mem.index) >= ZYDIS_REGCLASS_XMM;
        a.none = by_vector || o->mem.segment == ZYDIS_REGISTER_FS;
        a.base = relative ? NO_REGISTER : (signed char)greg_of(o->mem.base);
        a.index = (signed char)greg_of(o->mem.index);
        a.scale = o->mem.scale;
        a.displacement = o->mem.disp.value + (relative ? (intptr_t)(at + i.length) : 0);
        if (by_vector) break;
    }
    return a;
}

/* ---- Stepping -------------------------------------------------------------------------------- */

/* The state of the signal's handler, in the child alone. */
static struct stepping {
    struct trace *trace;
    ZydisDecoder decoder;
    struct address *addresses;
} stepping;

static const struct address *find_address(uintptr_t at)
{
    size_t place = (at * 0x9e3779b97f4a7c15u) >> 50;
    for (size_t tries = 0; tries < 32; tries++, place = (place + 1) % ADDRESSES) {
        struct address *a = &stepping.addresses[place];
        if (a->at == at) return a;
        if (!a->at) {
            *a = decode_address(&stepping.decoder, at);
            return a;
        }
    }
    static struct address last;
    last = decode_address(&stepping.decoder, at);
    return &last;
}

/* Uses nothing but its own tables and Zydis, which allocates nothing. */
static void note_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    enum { TRAP_FLAG = 0x100 };
    greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct trace *t = stepping.trace;
    if (t->count == TRACE_STEPS_MAX) {
        t->cut = true;
        gregs[REG_EFL] &= ~TRAP_FLAG; /* the rest of the call is not followed */
        return;
    }
    const struct address *a = find_address((uintptr_t)gregs[REG_RIP]);
    struct trace_step *step = &t->steps[t->count++];
    *step = (struct trace_step){.at = a->at};
    if (a->none) return;
    step->memory = (uintptr_t)a->displacement;
    if (a->base != NO_REGISTER) step->memory += (uintptr_t)gregs[(int)a->base];
    if (a->index != NO_REGISTER) step->memory += (uintptr_t)gregs[(int)a->index] * a->scale;
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
    stepping.trace = t;
    stepping.addresses = calloc(ADDRESSES, sizeof *stepping.addresses);
    ZydisDecoderInit(&stepping.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return stack.ss_sp && stepping.addresses && sigaltstack(&stack, NULL) == 0 &&
           sigaction(SIGTRAP, &action, NULL) == 0;
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

/* Returns a working set in the middle of a level. */
static size_t bytes_in(enum level level, const struct effective *e)
{
    size_t below = 0;
    for (enum level l = 0; l < level; l++) below = e->bytes[l] ? e->bytes[l] : below;
    return level == LEVEL_DRAM ? 4 * below : (below + e->bytes[level]) / 2;
}

static void measure_levels(struct trace *t, const struct cell *c, const struct bench_setup *s,
                           double hz)
{
    for (enum level l = LEVEL_L2; l < LEVELS; l++) {
        const struct effective *e = &s->effective;
        if ((l < LEVEL_DRAM && !e->bytes[l]) || c->working_set < e->bytes[LEVEL_L1] / 2) continue;
        struct limit_task task = {.kind = LIMIT_LOAD,
                                  .width = width_of_isa(c->variant->isa),
                                  .threads = 1,
                                  .bytes = bytes_in(l, e)};
        struct buffer arena = limit_arena(task.bytes, 1);
        if (arena.data) t->bytes_per_cycle[l] = limit_measure(&task, &s->clock, &arena) / hz;
        buffer_unmap(&arena);
        if (l < LEVEL_DRAM && c->working_set < e->bytes[l] / 2) break;
    }
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
    measure_levels(q->shared, c, q->setup, q->shared->cycles / (q->shared->ns * 1e-9));
    step_through_rows(q->shared, k->run, &job);
}

static void ignore(void *context, const void *message, size_t size)
{
    (void)context;
    (void)message;
    (void)size;
}

int trace_run(struct trace *t, const struct cell *c, const struct bench_setup *s,
              const struct cpu *cpu, double nops_per_cycle, struct error *e)
{
    const double silence_s = 120;
    struct trace *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct trace_step *steps = mmap(NULL, TRACE_STEPS_MAX * sizeof *steps, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *t = (struct trace){.count = 0};
    if (shared == MAP_FAILED || steps == MAP_FAILED)
        return fail(e, EXIT_PARTIAL, "explain: out of memory; free some");
    *shared = (struct trace){.steps = steps};
    struct request q = {c, s, cpu, nops_per_cycle, shared};
    enum status status = isolate_run(trace_work, ignore, &q, silence_s);
    *t = *shared;
    munmap(shared, sizeof *shared);
    if (status == STATUS_OK && t->count) return 0;
    trace_free(t);
    return fail(e, EXIT_PARTIAL, "explain: %s: %s while it was stepped through", c->variant->id,
                status_name(status));
}

void trace_free(struct trace *t)
{
    if (t->steps) munmap(t->steps, TRACE_STEPS_MAX * sizeof *t->steps);
    *t = (struct trace){.count = 0};
}
