#include "measure/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "measure/bench_worker.h"
#include "measure/isolate.h"
#include "measure/shapes.h"
#include "measure/team.h"

/* ---- Records --------------------------------------------------------------------------------- */

/* What tells one raw record from another; also whether a run that was cut has it already. */
static void cell_key(const char *id, const char *family, json_int_t process, char *key, size_t size)
{
    snprintf(key, size, "%lld|%s|%s", (long long)process, id, family);
}

enum { KEY_MAX = CELL_ID_MAX + FAMILY_MAX + 24 };

static json_t *keys_of(const json_t *done)
{
    json_t *keys = json_object(), *record;
    size_t i;
    json_array_foreach((json_t *)done, i, record)
    {
        const char *id = json_string_value(json_object_get(record, "id"));
        const char *name = json_string_value(json_object_get(record, "name"));
        const char *family = json_string_value(json_object_get(record, "family"));
        char key[KEY_MAX];
        if (!id && !name) continue;
        cell_key(id ? id : name, family ? family : "",
                 json_integer_value(json_object_get(record, "process")), key, sizeof key);
        json_object_set_new(keys, key, json_true());
    }
    return keys;
}

/* ---- A run ----------------------------------------------------------------------------------- */

struct run {
    const struct bench_plan *plan;
    const struct bench_setup *setup;
    struct record_sink sink;
    struct progress *progress;
    json_t *done;    /* keys of what earlier runs recorded */
    bool *broken;    /* cells that crashed or hung: not tried again */
    size_t finished; /* items, over all processes */
    struct error *e;
    int code; /* the first failure of the sink or of a worker */
    /* the process under way */
    size_t process, environment;
    pid_t worker;
    size_t answered; /* orders of the worker that have their result */
    bool begun;      /* and the next one was begun */
};

static size_t items_of(const struct bench_plan *p)
{
    return p->cell_count + p->limit_count;
}

static bool is_cell(const struct run *r, size_t item)
{
    return item < r->plan->cell_count;
}

static void put(struct run *r, json_t *record)
{
    if (r->code) {
        json_decref(record);
        return;
    }
    r->code = r->sink.put(r->sink.context, record, r->e);
    if (r->code && r->worker > 0) kill(r->worker, SIGKILL); /* nothing more can be kept */
}

static json_t *reals(const double *v, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(array, record_real(v[i]));
    return array;
}

/* {"ports-mul-zmm": instructions per row, ..}; NULL where the kernel counts none. */
static json_t *ports_record(const struct run *r, const struct cell *c)
{
    struct port_load loads[PORT_SETS];
    size_t count = cell_ports(c, r->setup, loads);
    json_t *ports = count ? json_object() : NULL;
    for (size_t i = 0; i < count; i++) {
        char name[LIMIT_NAME_MAX];
        limit_name(&loads[i].task, name);
        json_object_set_new(ports, name, record_real(loads[i].per_row));
    }
    return ports;
}

/* {"lanes": 16, "mul": 9, "add": 3, "max": 2, "other": 2, "permute": 1}, likewise. */
static json_t *instructions_record(const struct run *r, const struct cell *c)
{
    struct instructions i = variant_instructions(c->variant, cell_ops(c, r->setup));
    if (!i.lanes) return NULL;
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "lanes", (int)i.lanes, "mul",
                     record_real(i.mul), "add", record_real(i.add), "max", record_real(i.max),
                     "other", record_real(i.other), "permute", record_real(i.permute));
}

/* [{"way", "taken", "what", "have", "beyond", "limit", "where", "unit", "why"}]: what the kernel
 * asks about the cell's job, as one of its threads has it; NULL where it asks nothing. */
static json_t *ways_record(const struct run *r, const struct cell *c)
{
    const struct kernel *k = c->variant->kernel;
    if (!k->paths || c->variant->status != STATUS_OK) return NULL;
    struct code_path w[CODE_PATHS_MAX];
    const struct job job = cell_job(c, r->setup);
    json_t *ways = json_array();
    size_t count = k->paths(&job, w);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(ways, json_pack("{s:s, s:b, s:s, s:I, s:b, s:I, s:s, s:s, s:s}",
                                              "way", w[i].name, "taken", w[i].taken, "what",
                                              w[i].what, "have", (json_int_t)w[i].have, "beyond",
                                              w[i].beyond, "limit", (json_int_t)w[i].limit, "where",
                                              w[i].where, "unit", w[i].unit, "why", w[i].why));
    return ways;
}

/* What every "samples" record says of its cell, whether it ran or not. */
static json_t *cell_record(const struct run *r, const struct cell *c, enum status status,
                           const char *reason)
{
    char id[CELL_ID_MAX];
    cell_id(c, id);
    json_t *record =
        json_pack("{s:s, s:I, s:s, s:s, s:s, s:I, s:I, s:i, s:s, s:s}", "record", "samples",
                  "process", (json_int_t)r->process, "id", id, "variant", c->variant->id, "family",
                  c->family, "rows", (json_int_t)c->rows, "n", (json_int_t)c->n, "threads",
                  (int)c->threads, "status", status_name(status), "reason", reason);
    const struct kernel *k = c->variant->kernel;
    if (!k) return record;
    char compute[LIMIT_NAME_MAX], memory[LIMIT_NAME_MAX];
    struct limit_task compute_limit = cell_compute_limit(c, r->setup);
    struct limit_task memory_limit = cell_memory_limit(c, r->setup);
    limit_name(&compute_limit, compute);
    limit_name(&memory_limit, memory);
    json_t *more = json_pack("{s:s, s:I, s:f, s:f, s:s, s:s}", "residency",
                             level_name(c->residency), "working_set", (json_int_t)c->working_set,
                             "flops", k->flops * (double)c->n, "bytes", k->bytes * (double)c->n,
                             "compute_limit", compute, "memory_limit", memory);
    json_object_update(record, more);
    json_decref(more);
    json_t *ports = ports_record(r, c);
    if (ports) json_object_set_new(record, "ports", ports);
    json_t *instructions = instructions_record(r, c);
    if (instructions) json_object_set_new(record, "instructions", instructions);
    if (c->log_output) json_object_set_new(record, "log", json_true());
    const char *shapes = cell_shapes(c);
    if (shapes) json_object_set_new(record, "shapes", json_string(shapes));
    json_t *ways = ways_record(r, c);
    if (ways) json_object_set_new(record, "ways", ways);
    if (c->threads > 1)
        json_object_set_new(record, "team",
                            json_string(team_split_name(team_split(k, c->rows, c->threads))));
    return record;
}

static void put_cell(struct run *r, const struct work_cell *m)
{
    const struct cell *c = &r->plan->cells[m->head.item];
    json_t *record = cell_record(r, c, m->mxcsr_changed ? STATUS_WRONG : STATUS_OK,
                                 m->mxcsr_changed ? "the kernel changed MXCSR" : "");
    json_t *more = json_pack("{s:I, s:o, s:o, s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:b}", "calls",
                             (json_int_t)m->calls, "ns", reals(m->values, m->samples), "cycles",
                             reals(m->values + m->samples, m->samples), "cycles_source",
                             cycles_source_name(m->source), "x_offset", (json_int_t)m->x_offset,
                             "y_offset", (json_int_t)m->y_offset, "thp", BUFFER_THP, "environment",
                             (json_int_t)r->environment, "moved", (json_int_t)m->moved, "migrated",
                             (json_int_t)m->migrated, "mxcsr_changed", m->mxcsr_changed);
    json_object_update(record, more);
    json_decref(more);
    put(r, record);
}

static void put_limit(struct run *r, const struct work_limit *m)
{
    const struct limit_task *task = &r->plan->limits[m->head.item - r->plan->cell_count];
    char name[LIMIT_NAME_MAX];
    limit_name(task, name);
    put(r, json_pack("{s:s, s:I, s:s, s:s, s:o, s:s, s:i, s:I}", "record", "limit", "process",
                     (json_int_t)r->process, "name", name, "isa", width_isa(task->width), "value",
                     record_real(m->value), "unit", limit_unit(task), "threads", (int)task->threads,
                     "bytes", (json_int_t)task->bytes));
}

static const char *name_of(const struct run *r, size_t item)
{
    return is_cell(r, item) ? r->plan->cells[item].variant->id : "limits";
}

static void receive(void *context, const void *message, size_t size)
{
    struct run *r = context;
    (void)size; /* the sender is this same program */
    const struct work_message *head = message;
    if (head->kind == WORK_BEGUN) {
        double all = (double)(items_of(r->plan) * r->plan->processes);
        r->begun = true;
        if (r->progress)
            progress_update(r->progress, (double)r->finished / all, name_of(r, head->item));
        return;
    }
    if (head->kind == WORK_FAILED) {
        const struct work_failure *f = message;
        if (!r->code) *r->e = f->error, r->code = f->code;
        return;
    }
    if (head->kind == WORK_CELL)
        put_cell(r, message);
    else
        put_limit(r, message);
    r->begun = false;
    r->answered++;
    r->finished++;
}

/* ---- A worker -------------------------------------------------------------------------------- */

static struct work_order order_of(const struct run *r, struct step step)
{
    const struct bench_plan *p = r->plan;
    struct work_order o = {.item = step.item, .pause = step.pause};
    if (is_cell(r, step.item)) {
        const struct cell *c = &p->cells[step.item];
        if (c->variant->peer)
            o.peer = c->variant->peer->order;
        else
            o.kernel = bench_kernel_offset(c->variant->kernel);
        snprintf(o.op, sizeof o.op, "%s", c->variant->op);
        o.rows = c->rows;
        o.n = c->n;
        o.threads = c->threads;
        o.log_output = c->log_output;
        memcpy(o.family, c->family, sizeof o.family);
    } else {
        o.is_limit = true;
        o.limit = p->limits[step.item - p->cell_count];
    }
    return o;
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

/* A file in memory with the worker's orders, at its beginning; -1 where memory is short. A pipe
 * would block both sides once it is full. */
static int orders_file(const struct run *r, const struct step *steps, size_t count, uint64_t layout)
{
    const struct bench_plan *p = r->plan;
    struct work_header h = {.orders = count,
                            .clock = r->setup->clock,
                            .effective = r->setup->effective,
                            .warmup_s = p->warmup_s,
                            .sample_s = p->sample_s,
                            .patience_s = p->patience_s,
                            .samples = p->samples,
                            .seed = p->seed,
                            .layout = layout,
                            .parameters = p->parameters};
    int fd = memfd_create("ulplab-orders", MFD_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, &h, sizeof h);
    for (size_t i = 0; i < count && ok; i++) {
        struct work_order o = order_of(r, steps[i]);
        ok = write_all(fd, &o, sizeof o);
    }
    if (ok && lseek(fd, 0, SEEK_SET) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* In the child: this same program anew, its address space randomised even under a debugger, its
 * environment longer by `padding` bytes. Nothing of the user's settings of OpenMP holds there:
 * the lab binds each thread itself. */
static void become_worker(int orders, int channel, size_t padding)
{
    enum { PADDING_MAX = 4096 };
    static char pad[PADDING_MAX + 1];
    memset(pad, 'x', padding < PADDING_MAX ? padding : PADDING_MAX);
    interrupt_reset();
    signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C goes to the parent, which ends the child */
    personality((unsigned long)personality(0xffffffff) & ~(unsigned long)ADDR_NO_RANDOMIZE);
    setenv("ULPLAB_PADDING", pad, 1);
    unsetenv("GOMP_CPU_AFFINITY");
    unsetenv("OMP_PLACES");
    setenv("OMP_PROC_BIND", "false", 1);
    unsetenv("OMP_THREAD_LIMIT"); /* "2 threads" are two */
    setenv("OMP_DYNAMIC", "false", 1);
    if (dup2(orders, STDIN_FILENO) < 0 || dup2(channel, STDOUT_FILENO) < 0) _exit(EXIT_FAILURE);
    execl("/proc/self/exe", "ulplab", BENCH_WORKER_COMMAND, (char *)NULL);
    _exit(EXIT_FAILURE);
}

static enum status run_worker(struct run *r, const struct step *steps, size_t count,
                              uint64_t layout)
{
    int ends[2], orders = orders_file(r, steps, count, layout);
    if (orders < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        if (orders >= 0) close(orders);
        return STATUS_KILLED;
    }
    r->environment = layout >> 16 & 4095;
    r->answered = 0;
    r->begun = false;
    fflush(NULL);
    r->worker = fork();
    if (r->worker == 0) become_worker(orders, ends[1], r->environment);
    close(orders);
    close(ends[1]);
    if (r->worker < 0) {
        close(ends[0]);
        return STATUS_KILLED;
    }
    enum status status = isolate_watch(r->worker, ends[0], receive, r, r->plan->timeout_s);
    r->worker = 0;
    return status;
}

/* ---- A process of the plan ------------------------------------------------------------------- */

static bool already_done(const struct run *r, size_t item)
{
    char id[CELL_ID_MAX], key[KEY_MAX];
    const char *family = "";
    if (is_cell(r, item)) {
        cell_id(&r->plan->cells[item], id);
        family = r->plan->cells[item].family;
    } else {
        limit_name(&r->plan->limits[item - r->plan->cell_count], id);
    }
    cell_key(id, family, (json_int_t)r->process, key, sizeof key);
    return json_object_get(r->done, key) != NULL;
}

/* Cells of variants that cannot run here have their say once, and are never ordered. */
static bool put_unrunnable(struct run *r, size_t item)
{
    if (!is_cell(r, item)) return false;
    const struct cell *c = &r->plan->cells[item];
    if (c->variant->status == STATUS_OK) return false;
    if (r->process == 0) put(r, cell_record(r, c, c->variant->status, c->variant->reason));
    return true;
}

/* Leaves in steps[] what this process still has to measure, in order; returns how many. */
static size_t choose_steps(struct run *r, struct step *steps)
{
    size_t total = items_of(r->plan), kept = 0;
    bool pause = false; /* that a step which is left out would have made */
    for (size_t i = 0; i < total && !r->code; i++) {
        size_t item = steps[i].item;
        bool skip = already_done(r, item) || put_unrunnable(r, item) ||
                    (is_cell(r, item) && r->broken[item]);
        pause = pause || steps[i].pause;
        if (skip) {
            r->finished++;
            continue;
        }
        steps[kept++] = (struct step){item, pause};
        pause = false;
    }
    return kept;
}

/* Where a worker ended before its time: the cell it was at gets the status, in this process and
 * for all that follow. */
static int blame(struct run *r, const struct step *culprit, enum status status)
{
    if (!r->begun || !is_cell(r, culprit->item))
        return fail(r->e, EXIT_PARTIAL,
                    "bench: worker: %s before it could measure; look at 'ulplab doctor'",
                    status_name(status));
    r->broken[culprit->item] = true;
    put(r, cell_record(r, &r->plan->cells[culprit->item], status, ""));
    r->finished++;
    return r->code;
}

static int run_process(struct run *r, struct step *steps)
{
    size_t left = choose_steps(r, steps);
    for (uint64_t attempt = 0; left && !r->code; attempt++) {
        uint64_t layout = (r->plan->seed ^ (r->process << 20 | attempt)) * 0x9e3779b97f4a7c15u;
        enum status status = run_worker(r, steps, left, layout ^ layout >> 29);
        if (r->code) break;
        if (status == STATUS_INTERRUPTED) return interrupt_requested();
        steps += r->answered;
        left -= r->answered;
        if (!left) break; /* whatever it died of, it had told everything */
        if (status == STATUS_OK) status = STATUS_KILLED;
        int code = blame(r, steps, status);
        if (code) return code;
        steps++;
        left--;
    }
    return r->code;
}

int bench_run(const struct bench_plan *p, const struct bench_setup *s, const json_t *done,
              struct record_sink sink, struct progress *progress, struct error *e)
{
    size_t total = items_of(p);
    struct step *steps = calloc(total + 1, sizeof *steps);
    struct run r = {.plan = p,
                    .setup = s,
                    .sink = sink,
                    .progress = progress,
                    .done = keys_of(done),
                    .broken = calloc(total + 1, sizeof *r.broken),
                    .e = e};
    int code = 0;
    for (r.process = 0; r.process < p->processes && !code; r.process++) {
        if (!steps || !r.broken || !bench_order(p, r.process, steps))
            code = fail(e, EXIT_PARTIAL, "bench: out of memory: %zu cells; choose fewer", total);
        else
            code = run_process(&r, steps);
    }
    free(steps);
    free(r.broken);
    json_decref(r.done);
    return code;
}

/* ---- Before a run ---------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    const struct sweep_point *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The sweep's points among raw records, the best of each size; ascending. */
static size_t sweep_points(const json_t *records, struct sweep_point points[SWEEP_MAX])
{
    size_t count = 0, i;
    json_t *record;
    json_array_foreach((json_t *)records, i, record)
    {
        const char *name = json_string_value(json_object_get(record, "name"));
        if (!name || strncmp(name, "sweep-", 6) != 0) continue;
        size_t bytes = (size_t)json_integer_value(json_object_get(record, "bytes")), at = 0;
        double rate = json_number_value(json_object_get(record, "value"));
        while (at < count && points[at].bytes != bytes) at++;
        if (at == SWEEP_MAX) continue;
        if (at == count) points[count++] = (struct sweep_point){bytes, rate};
        points[at].rate = fmax(points[at].rate, rate);
    }
    qsort(points, count, sizeof *points, by_bytes);
    return count;
}

/* To the caller's sink, and kept. */
struct tee {
    struct record_sink sink;
    json_t *kept;
};

static int put_both(void *context, json_t *record, struct error *e)
{
    struct tee *tee = context;
    json_array_append(tee->kept, record);
    return tee->sink.put(tee->sink.context, record, e);
}

int bench_sweep(struct bench_setup *s, const json_t *done, struct record_sink sink,
                struct progress *progress, struct error *e)
{
    struct bench_plan plan;
    struct sweep_point points[SWEEP_MAX];
    struct tee tee = {sink, json_array()};
    if (done) json_array_extend(tee.kept, (json_t *)done);
    int code = bench_plan_sweep(&plan, s, 1, e);
    if (!code) code = bench_run(&plan, s, done, (struct record_sink){put_both, &tee}, progress, e);
    bench_plan_free(&plan);
    if (!code) s->effective = effective_sizes(&s->topology, points, sweep_points(tee.kept, points));
    json_decref(tee.kept);
    return code;
}

static enum width widest_of(const struct cpu *cpu)
{
    char reason[128];
    enum width w = WIDTH_ZMM;
    while (w > WIDTH_SCALAR && !cpu_supports(cpu, width_isa(w), reason, sizeof reason)) w--;
    return w;
}

int bench_open(struct bench_setup *s, const struct cpu *cpu, struct error *e)
{
    *s = (struct bench_setup){.widest = widest_of(cpu)};
    int code = topology_read(&s->topology, e);
    if (code) return code;
    clock_calibrate(&s->clock, 0.1);
    s->effective = effective_sizes(&s->topology, NULL, 0);
    return 0;
}

void bench_close(struct bench_setup *s)
{
    topology_close(&s->topology);
}
