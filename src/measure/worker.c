// SPDX-License-Identifier: MIT
#include "measure/work.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "machine/mxcsr.h"
#include "machine/topology.h"
#include "measure/peers.h"
#include "measure/isolate.h"
#include "measure/worker_timing.h"

/* ---- Its orders ------------------------------------------------------------------------------ */

/* A kernel's offset in this program's image: parent and worker load the same file at different
 * addresses. */
static ptrdiff_t kernel_offset(const struct kernel *k)
{
    return (const char *)k - (const char *)&bench_worker;
}

static const struct kernel *kernel_at(ptrdiff_t offset)
{
    return (const struct kernel *)(const void *)((const char *)&bench_worker + offset);
}

static struct work_order work_order_of(const struct bench_plan *p, const struct step *step)
{
    struct work_order o = {.item = step->item, .block = step->block};
    const struct cell *c = bench_cell(p, step->item);
    if (!c) {
        o.is_limit = true;
        o.limit = p->limits[step->item - p->cell_count - p->control_count];
        return o;
    }
    snprintf(o.variant, sizeof o.variant, "%s", c->variant->id);
    if (c->program)
        snprintf(o.peer.program, sizeof o.peer.program, "%s", c->program);
    else if (c->variant->peer)
        o.peer = c->variant->peer->order;
    else
        o.kernel = kernel_offset(variant_file_kernel(c->variant));
    snprintf(o.op, sizeof o.op, "%s", c->variant->op);
    o.width = width_of_isa(c->variant->isa);
    o.rows = c->rows;
    o.n = c->n;
    o.threads = c->threads;
    o.log_output = c->variant->kernel->log_output;
    memcpy(o.family, c->family, sizeof o.family);
    return o;
}

/* A file in memory, mapped here, with the worker's header, orders and input. A pipe would block
 * both sides once it is full, and the parent can read here what the worker wrote into the
 * header. */
struct orders {
    int fd;
    size_t bytes;
    struct work_header *header; /* NULL where memory is short */
};

static struct orders write_orders(const struct worker *p)
{
    const struct bench_plan *plan = p->plan;
    const size_t input_bytes = plan->input.rows * plan->input.n * sizeof(float);
    struct orders o = {.fd = memfd_create("ulplab-orders", MFD_CLOEXEC),
                       .bytes =
                           sizeof *o.header + p->count * sizeof(struct work_order) + input_bytes};
    void *mapped = MAP_FAILED;
    if (o.fd >= 0 && ftruncate(o.fd, (off_t)o.bytes) == 0)
        mapped = mmap(NULL, o.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, o.fd, 0);
    if (mapped == MAP_FAILED) return o;
    o.header = mapped;
    *o.header = (struct work_header){.orders = p->count,
                                     .current = NO_ITEM,
                                     .clock = p->setup->clock,
                                     .effective = p->setup->effective,
                                     .warmup_s = plan->warmup_s,
                                     .sample_s = plan->sample_s,
                                     .patience_s = plan->patience_s,
                                     .rounds = plan->rounds,
                                     .hashes_outputs = plan->hashes_outputs,
                                     .seed = plan->seed,
                                     .layout = p->layout,
                                     .parameters = plan->parameters,
                                     .input = plan->input};
    struct work_order *orders = (struct work_order *)(void *)(o.header + 1);
    for (size_t i = 0; i < p->count; i++) orders[i] = work_order_of(plan, &p->steps[i]);
    if (input_bytes) memcpy(orders + p->count, plan->input.data, input_bytes);
    return o;
}

/* ---- Its life, as its parent sees it --------------------------------------------------------- */

enum { PADDING_MAX = 4095 };

/* In the child: executes this program again, its address space randomised even under a debugger,
 * its environment longer by `padding` bytes. The user's settings of OpenMP do not apply: the lab
 * binds each thread itself. */
static void become_worker(int orders, int channel, size_t padding)
{
    static char pad[PADDING_MAX + 1];
    memset(pad, 'x', padding);
    setpgid(0, 0);
    interrupt_reset();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a worker without a lab would disturb the next one */
    signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C goes to the parent, which ends the child */
    personality((unsigned long)personality(0xffffffff) & ~(unsigned long)ADDR_NO_RANDOMIZE);
    setenv("ULPLAB_PADDING", pad, 1);
    unsetenv("GOMP_CPU_AFFINITY");
    unsetenv("OMP_PLACES");
    unsetenv("OMP_WAIT_POLICY"); /* a spinning thread is ready when the next call begins */
    unsetenv("GOMP_SPINCOUNT");
    setenv("OMP_PROC_BIND", "false", 1);
    unsetenv("OMP_THREAD_LIMIT"); /* "2 threads" are two */
    setenv("OMP_DYNAMIC", "false", 1);
    if (dup2(orders, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
        !descriptor_give(channel, WORK_MESSAGES))
        _exit(EXIT_FAILURE);
    execl("/proc/self/exe", "ulplab", BENCH_WORKER_COMMAND, (char *)NULL);
    _exit(EXIT_FAILURE);
}

enum status worker_run(struct worker *p, isolate_receiver receive, void *context)
{
    struct orders orders = write_orders(p);
    int ends[2] = {-1, -1};
    enum status status = STATUS_KILLED;
    p->current = NO_ITEM;
    p->padding = p->layout >> 16 & PADDING_MAX;
    if (orders.header && process_pipe(ends)) {
        fflush(NULL);
        p->pid = process_fork();
        if (p->pid == 0) become_worker(orders.fd, ends[1], p->padding);
        close(ends[1]);
        if (p->pid < 0)
            close(ends[0]);
        else
            status = isolate_watch(p->pid, ends[0], receive, context, p->plan->timeout_s);
        p->current = orders.header->current;
    }
    if (orders.header) munmap(orders.header, orders.bytes);
    if (orders.fd >= 0) close(orders.fd);
    return status;
}

/* ---- Its helpers ----------------------------------------------------------------------------- */

struct helper {
    struct peer_order peer;
    pid_t pid;
    int orders, results;
};
/* Workers of a worker: one for each peer under each of its caps. */
enum { HELPERS_MAX = 16 };
struct helpers {
    struct helper all[HELPERS_MAX];
    size_t count;
};

/* In the child: executes this program again, or the other one. A library that would start threads
 * of its own gets one thread: the lab distributes the rows. */
__attribute__((noreturn)) static void become_helper(const struct peer_order *p, int orders,
                                                    int results)
{
    if (p->variable[0]) setenv(p->variable, p->value, 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (dup2(orders, STDIN_FILENO) >= 0 && dup2(results, HELPER_RESULTS) >= 0)
        execl(p->program[0] ? p->program : "/proc/self/exe", "ulplab", BENCH_WORKER_COMMAND,
              (char *)NULL);
    _exit(EXIT_FAILURE);
}

/* The pipes' ends stand above HELPER_RESULTS, which dup2 would overwrite. */
static bool open_pipe(int ends[2])
{
    if (!process_pipe(ends)) return false;
    for (int i = 0; i < 2; i++) {
        int high = fcntl(ends[i], F_DUPFD_CLOEXEC, HELPER_RESULTS + 1);
        close(ends[i]);
        ends[i] = high;
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool start_helper(struct helper *h, const struct work_header *work)
{
    int orders[2], results[2];
    if (!open_pipe(orders) || !open_pipe(results)) return false;
    h->pid = process_fork();
    if (h->pid == 0) become_helper(&h->peer, orders[0], results[1]);
    close(orders[0]);
    close(results[1]);
    h->orders = orders[1];
    h->results = results[0];
    struct work_header header = *work;
    header.orders = ORDERS_AS_THEY_COME;
    return h->pid > 0 && write_all(h->orders, &header, sizeof header) &&
           write_all(h->orders, work->input.data,
                     work->input.rows * work->input.n * sizeof *work->input.data);
}

static struct helper *helper_for(struct helpers *h, const struct work_header *work,
                                 const struct peer_order *p)
{
    for (size_t i = 0; i < h->count; i++)
        if (!memcmp(&h->all[i].peer, p, sizeof *p)) return &h->all[i];
    if (h->count == HELPERS_MAX) return NULL;
    struct helper *fresh = &h->all[h->count];
    fresh->peer = *p;
    if (!start_helper(fresh, work)) return NULL;
    h->count++;
    return fresh;
}

__attribute__((noreturn)) static void end_as(const struct helper *h)
{
    int status = 0;
    while (h && waitpid(h->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (h && WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(EXIT_FAILURE);
}

/* Lets its helper visit the order's peer; the helper is started if there is none. If the helper
 * dies, this process ends in the same way, which its parent interprets: one that gave up has told
 * the parent the reason. */
static struct visit_result helpers_visit(struct helpers *h, const struct work_header *work,
                                         const struct work_order *o, const struct visit *visit)
{
    struct helper *helper = helper_for(h, work, &o->peer);
    struct visit_result result;
    if (!helper || !write_all(helper->orders, o, sizeof *o) ||
        !write_all(helper->orders, visit, sizeof *visit) ||
        !read_all(helper->results, &result, sizeof result))
        end_as(helper);
    return result;
}

static void helpers_end(struct helpers *h)
{
    for (size_t i = 0; i < h->count; i++) {
        close(h->all[i].orders); /* the end of its file: it ends */
        close(h->all[i].results);
        while (waitpid(h->all[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

/* ---- Its work -------------------------------------------------------------------------------- */

struct bench_child {
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

static void bind_threads(struct bench_child *w, unsigned threads)
{
    struct error e = {.text = ""};
    if (w->bound == threads) return;
    int code = topology_bind_team(&w->topology, topology_quiet_core(&w->topology), threads, &e);
    if (code) work_give_up(code, &e);
    w->bound = threads;
}

/* Returns the time of a call that has next to nothing to compute: the least of some first visits.
 */
static double empty_call(struct bench_child *w, const struct work_order *o, const struct kernel *k)
{
    struct work_order one = *o;
    one.rows = one.n = 1;
    const struct data *d = data_for(&w->data, &one, k);
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, timer_visit(&w->timer, &w->work, d, k, &(struct visit){0}).ns);
    return least;
}

static struct visit_result visit_here(struct bench_child *w, const struct work_order *o,
                                      const struct visit *visit)
{
    struct kernel peer;
    const struct kernel *k = o->peer.path[0]      ? peer_kernel(o, &peer)
                             : o->peer.program[0] ? kernel_by_id(o->variant)
                                                  : kernel_at(o->kernel);
    bind_threads(w, o->threads);
    kernel_construct(k);
    double call_ns = !visit->calls && o->peer.path[0] ? empty_call(w, o, k) : 0;
    struct visit_result r = timer_visit(&w->timer, &w->work, data_for(&w->data, o, k), k, visit);
    r.call_ns = call_ns;
    return r;
}

/* Often enough for the parent's progress and patience, seldom enough not to disturb. */
static void tell_of(struct bench_child *w, size_t item)
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
    struct bench_child *w = context;
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
    struct bench_child *w = context;
    cell->x_offset = w->data.x_offset;
    cell->y_offset = w->data.y_offset;
    cell->source = w->timer.cycles.source;
    size_t unused = (CELL_SAMPLES_MAX - cell->samples) * sizeof *cell->values;
    isolate_send(WORK_MESSAGES, cell, sizeof *cell - unused);
}

static double bench_worker_seconds_of(void *context)
{
    const struct bench_child *w = context;
    return timer_seconds(&w->timer);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static double measure_limit(struct bench_child *w, const struct limit_task *task)
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

static void send_limit(struct bench_child *w, const struct work_order *o)
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
    float *data = memory_new(bytes + 1);
    h->input.data = data; /* the process ends with it */
    return read_all(STDIN_FILENO, data, bytes);
}

/* Serves as a helper: visits as they come. */
static void help(struct bench_child *w)
{
    struct work_order o;
    struct visit visit;
    while (read_all(STDIN_FILENO, &o, sizeof o) && read_all(STDIN_FILENO, &visit, sizeof visit)) {
        struct visit_result r = visit_here(w, &o, &visit);
        if (!write_all(HELPER_RESULTS, &r, sizeof r)) return;
    }
}

/* Block by block; a core that leaves one gets the time to leave its wide-vector state. */
static void work_through(struct bench_child *w, const struct work_order *orders)
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

static void open_worker(struct bench_child *w)
{
    struct error e = {.text = ""};
    int code = topology_read(&w->topology, &e);
    if (!code) code = topology_pin(&w->topology, topology_quiet_core(&w->topology), &e);
    if (code) work_give_up(code, &e);
    w->data = (struct data_store){.work = &w->work, .topology = &w->topology};
    data_choose_layout(&w->data);
    timer_open(&w->timer, &w->work.clock);
}

static void close_worker(struct bench_child *w)
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
    static struct bench_child w;
    isolate_begin();
    signal(SIGPIPE, SIG_IGN); /* a helper may have died */
    _mm_setcsr(MXCSR_DEFAULT);
    if (!read_all(STDIN_FILENO, &w.work, sizeof w.work)) return EXIT_BAD_INPUT;
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
