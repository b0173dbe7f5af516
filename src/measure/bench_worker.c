#include "measure/bench_worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "machine/mxcsr.h"
#include "machine/topology.h"
#include "measure/bench_plan.h"
#include "measure/buffer.h"
#include "measure/isolate.h"
#include "measure/peers.h"
#include "measure/team.h"
#include "model/dtype.h"
#include "oracle/oracle.h"

ptrdiff_t bench_kernel_offset(const struct kernel *k)
{
    return (const char *)k - (const char *)&bench_worker;
}

static const struct kernel *kernel_at(ptrdiff_t offset)
{
    return (const struct kernel *)(const void *)((const char *)&bench_worker + offset);
}

/* Rows of one family and shape, shared by all the cells that read them and write as much. Values
 * repeat after some rows: many enough that no predictor learns them, few enough that a large
 * working set costs little to fill. */
enum { DISTINCT_ROWS = 64 };
struct data {
    enum family family;
    enum domain domain;
    const struct dtype *type; /* of x */
    size_t output_bytes;      /* of an element of y */
    size_t rows, n, outputs;  /* outputs: per row */
    unsigned threads;
    struct caches caches; /* of each thread */
    struct parameters parameters;
    struct buffer x, y, scratch;
    struct gate *gates;
    struct data *next;
};

/* The worker of a peer's own. */
struct helper {
    struct peer_order peer;
    pid_t pid;
    int orders, done;
};
enum { HELPERS_MAX = 16 };

struct worker {
    struct work_header work;
    struct helper helpers[HELPERS_MAX];
    size_t helper_count;
    struct topology topology;
    struct clock clock;
    struct cycles cycles;
    double empty_ticks; /* of a call to a kernel that does nothing */
    size_t x_offset, y_offset;
    struct data *data;
    size_t data_bytes;
    struct buffer arena; /* of the limits; made for one number of threads */
    unsigned arena_threads;
};

__attribute__((noreturn)) static void give_up(int code, const struct error *e)
{
    struct work_failure f = {.head = {.kind = WORK_FAILED}, .code = code, .error = *e};
    isolate_send(STDOUT_FILENO, &f, sizeof f);
    _exit(EXIT_SUCCESS);
}

__attribute__((noreturn)) static void out_of_memory(size_t bytes)
{
    struct error e = {.text = ""};
    int code =
        fail(&e, EXIT_PARTIAL, "bench: out of memory: %zu bytes; choose smaller --shapes", bytes);
    give_up(code, &e);
}

/* ---- Data ------------------------------------------------------------------------------------ */

enum { SCRATCH_EXTRA = 256 };

static size_t scratch_floats(size_t n)
{
    return (2 * n + SCRATCH_EXTRA + 15) / 16 * 16;
}

static void fill_rows(const struct worker *w, const struct data *d, size_t first, size_t last)
{
    size_t row_bytes = d->n * d->type->bytes, y_bytes = d->outputs * d->output_bytes;
    float *row = malloc(d->n * sizeof *row + 1);
    if (!row) out_of_memory(d->n * sizeof *row);
    for (size_t r = first; r < last; r++) {
        char *x = d->x.data + r * row_bytes;
        if (r < first + DISTINCT_ROWS) {
            inputs_row(d->family, d->domain, w->work.seed, r, d->n, row);
            dtype_round_inputs(d->type, row, d->n);
            d->type->narrow(row, x, d->n);
        } else {
            memcpy(x, x - DISTINCT_ROWS * row_bytes, row_bytes);
        }
        memset(d->y.data + r * y_bytes, 0, y_bytes);
    }
    free(row);
}

/* Each thread fills its own rows, and so is the first to touch them. */
static void fill(const struct worker *w, const struct data *d)
{
    const size_t scratch = scratch_floats(d->n) * sizeof(float);
#pragma omp parallel for num_threads(d->threads) schedule(static, 1) if (d->threads > 1)
    for (unsigned i = 0; i < d->threads; i++) {
        fill_rows(w, d, team_first_row(d->rows, i, d->threads),
                  team_first_row(d->rows, i + 1, d->threads));
        memset(d->scratch.data + i * scratch, 0, scratch);
    }
}

static void drop(struct worker *w)
{
    for (struct data *d = w->data, *next; d; d = next) {
        next = d->next;
        buffer_unmap(&d->x);
        buffer_unmap(&d->y);
        buffer_unmap(&d->scratch);
        gates_close(d->gates);
        free(d);
    }
    w->data = NULL;
    w->data_bytes = 0;
}

static struct data *data_map(struct worker *w, const struct data *like)
{
    size_t x = like->rows * like->n * like->type->bytes;
    size_t y = like->rows * like->outputs * like->output_bytes;
    size_t scratch = like->threads * scratch_floats(like->n) * sizeof(float);
    /* A helper is one of several, and keeps less. */
    size_t share = w->work.orders == ORDERS_AS_THEY_COME ? 32 : 4;
    if (w->data_bytes + x + y + scratch > w->topology.memory_bytes / share) drop(w);
    struct data *d = malloc(sizeof *d);
    if (d) {
        *d = *like;
        d->x = buffer_map(x, w->x_offset);
        d->y = buffer_map(y, w->y_offset);
        d->scratch = buffer_map(scratch, 0);
        d->gates = gates_open(d->threads);
    }
    if (!d || !d->x.data || !d->y.data || !d->scratch.data || !d->gates)
        out_of_memory(x + y + scratch);
    fill(w, d);
    d->next = w->data;
    w->data = d;
    w->data_bytes += x + y + scratch;
    return d;
}

static struct data *data_for(struct worker *w, const struct work_order *o, const struct kernel *k)
{
    const struct oracle *oracle = oracle_find(k->op); /* an operation of one's own has none */
    struct data like = {.rows = o->rows,
                        .n = o->n,
                        .type = dtype_of(k),
                        .outputs = cell_outputs(k, o->n),
                        .output_bytes = cell_output_bytes(k),
                        .threads = o->threads,
                        .caches = caches_for(&w->topology, &w->work.effective, o->threads),
                        .parameters = w->work.parameters,
                        .family = family_find(o->family),
                        .domain = oracle ? oracle->domain : DOMAIN_EXPONENT};
    like.parameters.log_output = o->log_output;
    for (struct data *d = w->data; d; d = d->next)
        if (d->rows == like.rows && d->n == like.n && d->outputs == like.outputs &&
            d->type == like.type && d->output_bytes == like.output_bytes &&
            d->threads == like.threads && d->domain == like.domain && d->family == like.family) {
            d->parameters = like.parameters; /* which the rows do not depend on */
            return d;
        }
    return data_map(w, &like);
}

/* All rows, as thread i sees them. */
static struct job job_of(const struct data *d, unsigned i)
{
    return (struct job){
        .rows = d->rows,
        .n = d->n,
        .x = d->x.data,
        .x_stride = d->n,
        .y = d->y.data,
        .y_stride = d->outputs,
        .scale = d->parameters.scale,
        .log_output = d->parameters.log_output,
        .eps = d->parameters.eps,
        .scratch = (float *)(void *)d->scratch.data + i * scratch_floats(d->n),
        .x_padded = true, /* by the next rows or the buffer's last page */
        .caches = d->caches,
    };
}

/* ---- Timing ---------------------------------------------------------------------------------- */

struct timed {
    double ticks;
    bool migrated, mxcsr_changed;
};

static void call(void (*run)(const struct job *), const struct job *job, size_t calls)
{
    for (size_t i = 0; i < calls; i++) run(job);
}

static struct timed time_alone(void (*run)(const struct job *), const struct job *job, size_t calls)
{
    uint32_t before, after;
    clock_stop(&before);
    uint64_t start = clock_start();
    call(run, job, calls);
    uint64_t stop = clock_stop(&after);
    struct timed t = {(double)(stop - start), before != after, !mxcsr_is_default()};
    if (t.mxcsr_changed) _mm_setcsr(MXCSR_DEFAULT);
    return t;
}

/* One thread's part of the calls. Rows of its own need nobody else's; one row is waited for by all,
 * call by call. */
static void call_part(const struct data *d, const struct kernel *k, unsigned i, size_t calls)
{
    const struct job job = job_of(d, i), mine = team_rows(k, &job, i, d->threads);
    if (team_split(k, d->rows, d->threads) != TEAM_ONE_ROW) {
        call(k->run, &mine, calls);
        return;
    }
    float *shared = (float *)(void *)d->scratch.data;
    for (size_t c = 0; c < calls; c++) team_part(d->gates, k, &job, shared);
}

/* From the first thread's start, behind a barrier, to the last one's end: how long all rows take,
 * over and over, when all cores are at work. The team has woken up before. */
static struct timed time_team(const struct data *d, const struct kernel *k, size_t calls)
{
    uint64_t start = UINT64_MAX, stop = 0;
    bool migrated = false, changed = false;
#pragma omp parallel num_threads(d->threads)
    {
        uint32_t before, after;
#pragma omp barrier
        clock_stop(&before);
        uint64_t begin = clock_start();
        call_part(d, k, (unsigned)omp_get_thread_num(), calls);
        uint64_t end = clock_stop(&after);
        struct timed mine = {0, before != after, !mxcsr_is_default()};
        if (mine.mxcsr_changed) _mm_setcsr(MXCSR_DEFAULT);
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
    struct job job = job_of(d, 0);
    return time_alone(k->run, &job, calls);
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
        least = fmin(least, time_alone(run, NULL, CALLS).ticks - clock->floor_ticks);
    return fmax(least, 0) / CALLS;
}

/* Warms up for at least that long with the same kernel (frequency, power, caches, branches);
 * returns how many calls fill a sample. */
static size_t warm_up(const struct worker *w, const struct data *d, const struct kernel *k)
{
    const struct work_header *h = &w->work;
    double sample = fmax(h->sample_s * w->clock.tsc_hz, 1000 * w->clock.floor_ticks);
    double spent = 0, per_call = 0;
    for (size_t calls = 1; spent < h->warmup_s * w->clock.tsc_hz;) {
        double ticks = time_calls(d, k, calls).ticks;
        per_call = fmax(ticks / (double)calls, 1);
        spent += ticks;
        calls = (size_t)fmin(2 * (double)calls, 1 + sample / per_call);
    }
    return (size_t)(sample / per_call) + 1;
}

/* A long call is repeated less often, but three times. */
static size_t samples_of(const struct worker *w, double ticks)
{
    enum { LEAST = 3 };
    size_t fit = (size_t)(w->work.patience_s * w->clock.tsc_hz / ticks);
    if (fit < LEAST) fit = LEAST;
    return fit < w->work.samples ? fit : w->work.samples;
}

static const struct kernel *peer_kernel(const struct work_order *o, struct kernel *k)
{
    struct error e = {.text = ""};
    *k = (struct kernel){.op = o->op, .run = peer_load(&o->peer, o->op, &e)};
    if (!k->run) give_up(EXIT_PARTIAL, &e);
    return k;
}

static void time_cell(struct worker *w, const struct work_order *o, struct work_cell *r)
{
    struct kernel peer;
    const struct kernel *k = o->peer.path[0] ? peer_kernel(o, &peer) : kernel_at(o->kernel);
    const struct data *d = data_for(w, o, k);
    *r = (struct work_cell){.head = {WORK_CELL, o->item},
                            .x_offset = w->x_offset,
                            .y_offset = w->y_offset,
                            .source = w->cycles.source};
    r->calls = warm_up(w, d, k);
    r->samples = w->work.samples;
    double *cycles = r->values + CELL_SAMPLES_MAX; /* until it is known how many there are */
    struct cycles_mark before = cycles_read(&w->cycles), after;
    for (size_t i = 0; i < r->samples; i++, before = after) {
        struct timed t = time_calls(d, k, r->calls);
        after = cycles_read(&w->cycles);
        double overhead = w->clock.floor_ticks + w->empty_ticks * (double)r->calls;
        double ns = clock_ns(&w->clock, fmax(t.ticks - overhead, 1));
        bool moved;
        cycles[i] = cycles_between(&w->cycles, &before, &after, ns, &moved) / (double)r->calls;
        r->values[i] = ns / (double)r->calls;
        r->moved += moved;
        r->migrated += t.migrated;
        r->mxcsr_changed |= t.mxcsr_changed;
        if (!i) r->samples = samples_of(w, t.ticks);
    }
    memmove(r->values + r->samples, cycles, r->samples * sizeof *cycles);
}

static double measure_limit(struct worker *w, const struct limit_task *task)
{
    bool fits = w->arena_threads == task->threads && w->arena.bytes >= task->bytes;
    if (!w->arena.data || (task->bytes && !fits)) { /* arithmetic needs no bytes */
        buffer_unmap(&w->arena);
        w->arena = limit_arena(task->bytes, task->threads);
        w->arena_threads = task->threads;
        if (!w->arena.data) out_of_memory(task->bytes);
    }
    return limit_measure(task, &w->clock, &w->arena);
}

/* ---- Helpers --------------------------------------------------------------------------------- */

/* In the child: this program anew. Where the library would start threads of its own, it is alone:
 * the lab shares the rows out. */
__attribute__((noreturn)) static void become_helper(const struct peer_order *p, int orders,
                                                    int done)
{
    if (p->variable[0]) setenv(p->variable, p->value, 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (dup2(orders, STDIN_FILENO) >= 0 && dup2(done, HELPER_DONE) >= 0)
        execl("/proc/self/exe", "ulplab", BENCH_WORKER_COMMAND, (char *)NULL);
    _exit(EXIT_FAILURE);
}

static bool write_all(int fd, const void *data, size_t size)
{
    for (const char *p = data; size;) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* The pipes' ends stand above HELPER_DONE, which dup2 would overwrite. */
static bool open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    for (int i = 0; i < 2; i++) {
        int high = fcntl(ends[i], F_DUPFD_CLOEXEC, HELPER_DONE + 1);
        close(ends[i]);
        ends[i] = high;
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool start_helper(struct worker *w, struct helper *h)
{
    int orders[2], done[2];
    if (!open_pipe(orders) || !open_pipe(done)) return false;
    h->pid = fork();
    if (h->pid == 0) become_helper(&h->peer, orders[0], done[1]);
    close(orders[0]);
    close(done[1]);
    h->orders = orders[1];
    h->done = done[0];
    struct work_header header = w->work;
    header.orders = ORDERS_AS_THEY_COME;
    return h->pid > 0 && write_all(h->orders, &header, sizeof header);
}

static struct helper *helper_for(struct worker *w, const struct peer_order *p)
{
    for (size_t i = 0; i < w->helper_count; i++)
        if (!memcmp(&w->helpers[i].peer, p, sizeof *p)) return &w->helpers[i];
    if (w->helper_count == HELPERS_MAX) return NULL;
    struct helper *h = &w->helpers[w->helper_count];
    h->peer = *p;
    if (!start_helper(w, h)) return NULL;
    w->helper_count++;
    return h;
}

/* What ended the helper ends this worker too: its parent knows what to make of that. */
__attribute__((noreturn)) static void follow(const struct helper *h)
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

/* A helper that gave up has told the parent why, who ends the run. */
static void delegate(struct worker *w, const struct work_order *o)
{
    struct helper *h = helper_for(w, &o->peer);
    char byte;
    if (!h || !write_all(h->orders, o, sizeof *o)) follow(h);
    ssize_t n;
    while ((n = read(h->done, &byte, 1)) < 0 && errno == EINTR) {
    }
    if (n != 1) follow(h);
}

static void end_helpers(struct worker *w)
{
    for (size_t i = 0; i < w->helper_count; i++) {
        close(w->helpers[i].orders); /* the end of its file: it ends */
        close(w->helpers[i].done);
        while (waitpid(w->helpers[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

/* ---- The process ----------------------------------------------------------------------------- */

static void carry_out(struct worker *w, const struct work_order *o)
{
    static struct work_cell cell; /* 16 KiB: too much for a stack whose place is a sample too */
    const double pause_s = 3e-3;
    struct work_message begun = {WORK_BEGUN, o->item};
    isolate_send(STDOUT_FILENO, &begun, sizeof begun);
    struct error e = {.text = ""};
    if (o->pause) clock_pause(&w->clock, pause_s);
    unsigned threads = o->is_limit ? o->limit.threads : o->threads;
    int code = topology_bind_team(&w->topology, topology_quiet_core(&w->topology), threads, &e);
    if (code) give_up(code, &e);
    if (o->is_limit) {
        struct work_limit l = {{WORK_LIMIT, o->item}, measure_limit(w, &o->limit)};
        isolate_send(STDOUT_FILENO, &l, sizeof l);
        return;
    }
    time_cell(w, o, &cell);
    size_t unused = (2 * CELL_SAMPLES_MAX - 2 * cell.samples) * sizeof *cell.values;
    isolate_send(STDOUT_FILENO, &cell, sizeof cell - unused);
}

static bool read_all(void *data, size_t size)
{
    return fread(data, 1, size, stdin) == size;
}

/* Every order that was given, or the orders as they come, each with its byte. */
static int work_through(struct worker *w)
{
    bool is_helper = w->work.orders == ORDERS_AS_THEY_COME;
    struct work_order o;
    while (is_helper && read_all(&o, sizeof o)) {
        carry_out(w, &o);
        if (!write_all(HELPER_DONE, "", 1)) break;
    }
    if (is_helper) return EXIT_SUCCESS;
    struct work_order *orders = calloc(w->work.orders + 1, sizeof *orders);
    if (!orders || !read_all(orders, w->work.orders * sizeof *orders)) return EXIT_BAD_INPUT;
    for (size_t i = 0; i < w->work.orders; i++)
        if (orders[i].peer.path[0])
            delegate(w, &orders[i]);
        else
            carry_out(w, &orders[i]);
    free(orders);
    end_helpers(w);
    return EXIT_SUCCESS;
}

static void release(struct worker *w)
{
    drop(w);
    buffer_unmap(&w->arena);
    cycles_close(&w->cycles);
    topology_close(&w->topology);
}

/* Page offsets of x and y: any cache line of a page, as a user's allocator might choose. */
static void choose_layout(struct worker *w)
{
    enum { LINE = 64, LINES = 64 };
    uint64_t layout = w->work.layout;
    w->x_offset = layout % LINES * LINE;
    w->y_offset = layout / LINES % LINES * LINE;
}

int bench_worker(void)
{
    struct worker w = {0};
    struct error e = {.text = ""};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_reset(); /* a sanitizer's handlers would turn a fault into an exit */
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN); /* a helper may have died */
    _mm_setcsr(MXCSR_DEFAULT);
    if (!read_all(&w.work, sizeof w.work)) return EXIT_BAD_INPUT;
    int code = topology_read(&w.topology, &e);
    if (!code) code = topology_pin(&w.topology, topology_quiet_core(&w.topology), &e);
    if (code) give_up(code, &e);
    choose_layout(&w);
    w.clock = w.work.clock;
    clock_pause(&w.clock, 1e-3);
    clock_measure_floor(&w.clock);
    cycles_open(&w.cycles, &w.clock);
    w.empty_ticks = cost_of_empty_call(&w.clock);
    code = work_through(&w);
    release(&w);
    return code;
}
