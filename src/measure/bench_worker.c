// SPDX-License-Identifier: MIT
#include "measure/bench_worker.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/transfer.h"
#include "machine/mxcsr.h"
#include "machine/topology.h"
#include "measure/construct.h"
#include "measure/isolate.h"
#include "measure/peers.h"
#include "measure/resident.h"
#include "measure/worker_block.h"
#include "measure/worker_data.h"
#include "measure/worker_helpers.h"
#include "measure/worker_timing.h"

struct worker {
    struct work_header work;
    volatile size_t *current; /* where the parent sees which item is being measured */
    double told;              /* when the parent heard from this worker last */
    unsigned bound;           /* threads that are bound to cores */
    struct topology topology;
    struct timer timer;
    struct data_store data;
    struct helpers helpers;
    struct buffer arena; /* arena of the limits; made for one number of threads */
    unsigned arena_threads;
};

ptrdiff_t bench_kernel_offset(const struct kernel *k)
{
    return (const char *)k - (const char *)&bench_worker;
}

const struct kernel *bench_kernel_at(ptrdiff_t offset)
{
    return (const struct kernel *)(const void *)((const char *)&bench_worker + offset);
}

void work_give_up(int code, const struct error *e)
{
    struct work_failure f = {.head = {.kind = WORK_FAILED}, .code = code, .error = *e};
    isolate_send(WORK_MESSAGES, &f, sizeof f);
    _exit(EXIT_SUCCESS);
}

void work_out_of_memory(size_t bytes)
{
    struct error e = {.text = ""};
    int code =
        fail(&e, EXIT_PARTIAL, "bench: out of memory: %zu bytes; choose smaller --shapes", bytes);
    work_give_up(code, &e);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static const struct kernel *peer_kernel(const struct work_order *o, struct kernel *k)
{
    struct error e = {.text = ""};
    *k = (struct kernel){.op = o->op, .run = peer_load(&o->peer, o->op, &e)};
    if (!k->run) work_give_up(EXIT_PARTIAL, &e);
    return k;
}

/* Another program asks for it, whose offsets are not those of this one. */
static const struct kernel *kernel_by_id(const char *id)
{
    static struct registry registry; /* read once; the process ends with it */
    struct cpu cpu;
    struct error e = {.text = ""};
    int code = registry.count ? 0 : cpu_detect(&cpu, NULL, &e);
    if (!code && !registry.count) code = registry_open(&registry, &cpu, NULL, 0, &e);
    for (size_t i = 0; i < registry.count && !code; i++)
        if (!strcmp(registry.variants[i].id, id) && registry.variants[i].kernel)
            return registry.variants[i].kernel;
    if (!code) code = fail(&e, EXIT_PARTIAL, "duel: %s: not in the other program", id);
    work_give_up(code, &e);
}

static void bind_threads(struct worker *w, unsigned threads)
{
    struct error e = {.text = ""};
    if (w->bound == threads) return;
    int code = topology_bind_team(&w->topology, topology_quiet_core(&w->topology), threads, &e);
    if (code) work_give_up(code, &e);
    w->bound = threads;
}

/* The least of some first visits, in ns per call. */
static double least_of_visits(struct worker *w, const struct work_order *o, const struct kernel *k)
{
    const struct data *d = data_for(&w->data, o, k);
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, timer_visit(&w->timer, &w->work, d, k, &(struct visit){0}).ns);
    return least;
}

/* Returns the time of a call that has next to nothing to compute. */
static double empty_call(struct worker *w, const struct work_order *o, const struct kernel *k)
{
    struct work_order one = *o;
    one.rows = one.n = 1;
    return least_of_visits(w, &one, k);
}

static struct visit_result visit_here(struct worker *w, const struct work_order *o,
                                      const struct visit *visit)
{
    struct kernel peer;
    const struct kernel *k = o->peer.path[0]      ? peer_kernel(o, &peer)
                             : o->peer.program[0] ? kernel_by_id(o->variant)
                                                  : bench_kernel_at(o->kernel);
    bind_threads(w, o->threads);
    kernel_construct(k);
    double call_ns = !visit->calls && o->peer.path[0] ? empty_call(w, o, k) : 0;
    struct visit_result r = timer_visit(&w->timer, &w->work, data_for(&w->data, o, k), k, visit);
    r.call_ns = call_ns;
    return r;
}

/* Often enough for the parent's progress and patience, seldom enough not to disturb. */
static void tell_of(struct worker *w, size_t item)
{
    const double seldom_s = 0.2;
    *w->current = item;
    double now = timer_seconds(&w->timer);
    if (now - w->told < seldom_s) return;
    struct work_message begun = {WORK_BEGUN, item};
    isolate_send(WORK_MESSAGES, &begun, sizeof begun);
    w->told = now;
}

static struct visit_result visit_cell(void *context, const struct work_order *o,
                                      const struct visit *visit)
{
    struct worker *w = context;
    tell_of(w, o->item);
    bool elsewhere = o->peer.path[0] || o->peer.program[0];
    struct visit_result r =
        elsewhere ? helpers_visit(&w->helpers, &w->work, o, visit) : visit_here(w, o, visit);
    /* A kernel that closed the channel has to be the current one when the process ends. */
    if (fcntl(WORK_MESSAGES, F_GETFD) < 0) _exit(EXIT_FAILURE);
    return r;
}

static void send_cell(void *context, struct work_cell *cell)
{
    struct worker *w = context;
    cell->x_offset = w->data.x_offset;
    cell->y_offset = w->data.y_offset;
    cell->source = w->timer.cycles.source;
    size_t unused = (CELL_SAMPLES_MAX - cell->samples) * sizeof *cell->values;
    isolate_send(WORK_MESSAGES, cell, sizeof *cell - unused);
}

static double bench_worker_seconds_of(void *context)
{
    const struct worker *w = context;
    return timer_seconds(&w->timer);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static double measure_limit(struct worker *w, const struct limit_task *task)
{
    bool fits = w->arena_threads == task->threads && w->arena.bytes >= task->bytes;
    if (!w->arena.data || (task->bytes && !fits)) { /* arithmetic needs no bytes */
        buffer_unmap(&w->arena);
        w->arena = limit_arena(task->bytes, task->threads);
        w->arena_threads = task->threads;
        if (!w->arena.data) work_out_of_memory(task->bytes);
    }
    return limit_measure(task, &w->timer.clock, &w->arena);
}

static void send_limit(struct worker *w, const struct work_order *o)
{
    tell_of(w, o->item);
    bind_threads(w, o->limit.threads);
    struct work_limit l = {{WORK_LIMIT, o->item}, measure_limit(w, &o->limit)};
    isolate_send(WORK_MESSAGES, &l, sizeof l);
}

/* ---- The process ----------------------------------------------------------------------------- */

/* Reads the input behind the header, which a helper gets from its pipe. */
static bool read_input(struct work_header *h)
{
    size_t bytes = h->input.rows * h->input.n * sizeof *h->input.data;
    float *data = malloc(bytes + 1);
    if (!data) work_out_of_memory(bytes);
    h->input.data = data; /* the process ends with it */
    return read_all(STDIN_FILENO, data, bytes);
}

/* Serves as a helper: visits as they come. */
static void help(struct worker *w)
{
    struct work_order o;
    struct visit visit;
    while (read_all(STDIN_FILENO, &o, sizeof o) && read_all(STDIN_FILENO, &visit, sizeof visit)) {
        struct visit_result r = visit_here(w, &o, &visit);
        if (!write_all(HELPER_RESULTS, &r, sizeof r)) return;
    }
}

/* Block by block; a core that leaves one gets the time to leave its wide-vector state. */
static void work_through(struct worker *w, const struct work_order *orders)
{
    const double pause_s = 3e-3;
    const struct block_hooks hooks = {w, visit_cell, bench_worker_seconds_of, send_cell};
    for (size_t i = 0, count; i < w->work.orders; i += count) {
        for (count = 1; i + count < w->work.orders; count++)
            if (orders[i + count].block != orders[i].block) break;
        clock_pause(&w->timer.clock, pause_s);
        if (orders[i].is_limit)
            send_limit(w, &orders[i]);
        else
            block_measure(&w->work, orders + i, count, &hooks);
    }
}

static void open_worker(struct worker *w)
{
    struct error e = {.text = ""};
    int code = topology_read(&w->topology, &e);
    if (!code) code = topology_pin(&w->topology, topology_quiet_core(&w->topology), &e);
    if (code) work_give_up(code, &e);
    w->data = (struct data_store){.work = &w->work, .topology = &w->topology};
    data_choose_layout(&w->data);
    timer_open(&w->timer, &w->work.clock);
}

static void close_worker(struct worker *w)
{
    data_drop(&w->data);
    buffer_unmap(&w->arena);
    timer_close(&w->timer);
    topology_close(&w->topology);
}

/* Maps the header, its orders and the input, so that the parent sees what is written into the
 * header. */
static struct work_header *map_work(const struct work_header *h)
{
    size_t bytes = sizeof *h + h->orders * sizeof(struct work_order) +
                   h->input.rows * h->input.n * sizeof *h->input.data;
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, STDIN_FILENO, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

int bench_worker(void)
{
    static struct worker w;
    isolate_begin();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_reset(); /* a sanitizer's handlers would turn a fault into an exit */
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN); /* a helper may have died */
    _mm_setcsr(MXCSR_DEFAULT);
    if (!read_all(STDIN_FILENO, &w.work, sizeof w.work)) return EXIT_BAD_INPUT;
    resident_constants();
    if (w.work.orders == ORDERS_AS_THEY_COME) {
        if (!read_input(&w.work)) return EXIT_BAD_INPUT;
        open_worker(&w);
        help(&w);
    } else {
        struct work_header *shared = map_work(&w.work);
        if (!shared) return EXIT_BAD_INPUT;
        const struct work_order *orders = (const void *)(shared + 1);
        w.current = &shared->current;
        w.work.input.data = (const void *)(orders + w.work.orders);
        open_worker(&w);
        work_through(&w, orders);
        helpers_end(&w.helpers);
    }
    close_worker(&w);
    return EXIT_SUCCESS;
}
