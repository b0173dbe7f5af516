// SPDX-License-Identifier: MIT
#include "measure/bench.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "measure/promises.h"
#include "measure/stats.h"
#include "measure/team.h"
#include "measure/work.h"
#include "model/record.h"
#include "oracle/oracle.h"

struct run {
    const struct bench_plan *plan;
    const struct bench_setup *setup;
    size_t process;          /* the present one */
    size_t first, processes; /* from, and to before which, the present processes are */
    const bool *left_out;    /* blocks that these do not measure, and no limits; NULL: all */
    struct record_sink sink;
    struct progress *progress;
    struct precision *precision;
    json_t *done; /* records of earlier runs, by key */
    bool *broken; /* items that crashed or hung: not tried again */
    bool alone;   /* each step in a separate process, because some kernel ends its process later */
    size_t finished; /* items, over all processes */
    struct error *e;
    int code;              /* the first failure of the sink or of a worker */
    struct worker running; /* that failure ends it */
    size_t answered;       /* orders of the worker that have their result */
};

/* ---- Raw records ----------------------------------------------------------------------------- */

/* {"ports-mul-zmm": instructions per row, ..}; NULL where the kernel counts none. */
static json_t *ports_record(const struct bench_setup *s, const struct cell *c)
{
    struct port_load loads[PORT_SETS];
    size_t count = cell_ports(c, s, loads);
    json_t *ports = count ? json_object() : NULL;
    for (size_t i = 0; i < count; i++) {
        char name[LIMIT_NAME_MAX];
        limit_name(&loads[i].task, name);
        json_object_set_new(ports, name, record_real(loads[i].per_row));
    }
    return ports;
}

/* {"lanes": 16, "mul": 9, "add": 3, "max": 2, "other": 2, "permute": 1}, likewise. */
static json_t *instructions_record(const struct bench_setup *s, const struct cell *c)
{
    struct instructions i = variant_instructions(c->variant, cell_ops(c, s));
    if (!i.lanes) return NULL;
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "lanes", (int)i.lanes, "mul",
                     record_real(i.mul), "add", record_real(i.add), "max", record_real(i.max),
                     "other", record_real(i.other), "permute", record_real(i.permute));
}

/* [{"way", "taken", "what", "have", "beyond", "limit", "where", "unit", "why"}]: the kernel's
 * conditions on the cell's job, as for one of its threads; NULL if it has none. */
static json_t *ways_record(const struct bench_setup *s, const struct cell *c)
{
    const struct kernel *k = c->variant->kernel;
    if (!k->paths || c->variant->status != STATUS_OK) return NULL;
    struct code_path w[CODE_PATHS_MAX];
    const struct job job = cell_job(c, s);
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

/* Returns the fields of a cell's "samples" record that it has whether it ran or not. */
static json_t *bench_cell_record(const struct run *r, const struct cell *c, enum status status,
                                 const char *reason)
{
    const struct bench_setup *s = r->setup;
    char id[CELL_ID_MAX], block[CELL_ID_MAX];
    cell_id(c, id);
    cell_block(c, block);
    json_t *record = json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:s, s:s}", "record",
                               "samples", "process", (json_int_t)r->process, "id", id, "block",
                               block, "variant", c->variant->id, "family", c->family, "rows",
                               (json_int_t)c->rows, "n", (json_int_t)c->n, "threads",
                               (int)c->threads, "status", status_name(status), "reason", reason);
    const struct oracle *oracle = oracle_find(c->variant->op);
    if (oracle && oracle_is_affine(oracle)) json_object_set_new(record, "affine", json_true());
    const struct kernel *k = c->variant->kernel;
    if (!k) return record;
    char compute[LIMIT_NAME_MAX], memory[LIMIT_NAME_MAX];
    struct limit_task compute_limit = cell_compute_limit(c, s);
    struct limit_task memory_limit = cell_memory_limit(c, s);
    limit_name(&compute_limit, compute);
    if (!variant_counts_hold(c->variant)) compute[0] = '\0'; /* no limit has that name */
    limit_name(&memory_limit, memory);
    json_t *more = json_pack("{s:s, s:I, s:f, s:f, s:s, s:s}", "residency",
                             level_name(c->residency), "working_set", (json_int_t)c->working_set,
                             "flops", k->flops * (double)c->n, "bytes", k->bytes * (double)c->n,
                             "compute_limit", compute, "memory_limit", memory);
    json_object_update_new(record, more);
    if (variant_has_half_lanes(c->variant))
        json_object_set_new(record, "compute_share", json_real(0.5));
    /* Where a value is NULL the record has no such field. */
    json_object_set_new(record, "ports", ports_record(s, c));
    json_object_set_new(record, "instructions", instructions_record(s, c));
    json_object_set_new(record, "control", c->control ? json_true() : NULL);
    json_object_set_new(record, "shapes", json_string(cell_shapes(c)));
    json_object_set_new(record, "ways", ways_record(s, c));
    if (c->threads > 1)
        json_object_set_new(record, "team",
                            json_string(team_split_name(team_split(k, c->rows, c->threads))));
    return record;
}

/* {"calls", "empty_ns", "ns", "at_us", "round", "cycles"}: times to six digits, more than a clock
 * resolves, and of the cycles the median alone: those of single samples say no more than their
 * times do. */
static json_t *samples_record(const struct work_cell *m)
{
    json_t *ns = json_array(), *at_us = json_array(), *round_of = json_array();
    double *cycles = memory_zeroed(m->samples + 1, sizeof *cycles);
    for (size_t i = 0; i < m->samples; i++) {
        const struct work_sample *sample = &m->values[i];
        double scale = pow(10, 5 - floor(log10(sample->ns)));
        json_array_append_new(ns, record_real(round(sample->ns * scale) / scale));
        json_array_append_new(at_us, json_integer((json_int_t)(sample->at_s * 1e6)));
        json_array_append_new(round_of, json_integer((json_int_t)sample->round));
        cycles[i] = sample->cycles;
    }
    const double median = stats_median(cycles, m->samples);
    free(cycles);
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:[o]}", "calls", (json_int_t)m->calls, "empty_ns",
                     record_real(m->empty_ns), "ns", ns, "at_us", at_us, "round", round_of,
                     "cycles", record_real(median));
}

static json_t *bench_samples_record(const struct run *r, const struct cell *c,
                                    const struct work_cell *m)
{
    json_t *record =
        m->mxcsr_changed
            ? bench_cell_record(r, c, STATUS_WRONG, "the kernel leaves MXCSR, x87 or MMX changed")
            : bench_cell_record(r, c, STATUS_OK, "");
    if (m->call_ns) json_object_set_new(record, "call_ns", record_real(m->call_ns));
    json_object_update_new(record, samples_record(m));
    json_t *more = json_pack(
        "{s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:b}", "cycles_source", cycles_source_name(m->source),
        "x_offset", (json_int_t)m->x_offset, "y_offset", (json_int_t)m->y_offset, "thp", BUFFER_THP,
        "environment", (json_int_t)r->running.padding, "moved", (json_int_t)m->moved, "migrated",
        (json_int_t)m->migrated, "mxcsr_changed", m->mxcsr_changed);
    json_object_update_new(record, more);
    if (m->hash) json_object_set_new(record, "outputs", hash_record(m->hash));
    return record;
}

static json_t *bench_limit_record(const struct run *r, const struct limit_task *task, double value)
{
    char name[LIMIT_NAME_MAX];
    limit_name(task, name);
    return json_pack("{s:s, s:I, s:s, s:s, s:o, s:s, s:i, s:I}", "record", "limit", "process",
                     (json_int_t)r->process, "name", name, "isa", width_isa(task->width), "value",
                     record_real(value), "unit", limit_unit(task), "threads", (int)task->threads,
                     "bytes", (json_int_t)task->bytes);
}

/* ---- What a worker answers ------------------------------------------------------------------- */

/* The limit that an item is, which is no cell. */
static const struct limit_task *bench_limit(const struct bench_plan *p, size_t item)
{
    return &p->limits[item - p->cell_count - p->control_count];
}

static int bench_put(struct run *r, json_t *record)
{
    if (r->code)
        json_decref(record);
    else
        r->code = r->sink.put(r->sink.context, record, r->e);
    return r->code;
}

static void bench_show(struct run *r, size_t item)
{
    const struct bench_plan *p = r->plan;
    const struct cell *c = bench_cell(p, item);
    double all = (double)(bench_items(p) * (r->processes - r->first));
    if (r->progress)
        progress_update(r->progress, (double)r->finished / all, c ? c->variant->id : "limits");
}

static void put_answer(struct run *r, const struct work_message *m)
{
    const void *answer = m;
    if (m->kind == WORK_CELL) {
        json_t *record = bench_samples_record(r, bench_cell(r->plan, m->item), answer);
        precision_note(r->precision, m->item, r->process, record);
        bench_put(r, record);
    } else {
        bench_put(r, bench_limit_record(r, bench_limit(r->plan, m->item),
                                        ((const struct work_limit *)answer)->value));
    }
    if (r->code) kill(r->running.pid, SIGKILL); /* nothing more can be kept */
    r->answered++;
    r->finished++;
}

static void bench_receive(void *context, const void *message, size_t size)
{
    struct run *r = context;
    (void)size; /* the sender is this same program */
    const struct work_message *head = message;
    const struct work_failure *failure = message;
    if (head->kind == WORK_FAILED && !r->code) *r->e = failure->error, r->code = failure->code;
    if (head->kind == WORK_CELL || head->kind == WORK_LIMIT) put_answer(r, head);
    if (head->kind != WORK_FAILED) bench_show(r, head->item);
}

/* ---- What a process measures ----------------------------------------------------------------- */

/* Returns whether an earlier run has the item's record of this process, which is noted. A cell that
 * crashed or hung there is not tried again. */
static bool bench_is_done(struct run *r, size_t item)
{
    const struct cell *c = bench_cell(r->plan, item);
    char id[CELL_ID_MAX];
    if (c)
        cell_id(c, id);
    else
        limit_name(bench_limit(r->plan, item), id);
    const json_t *record = resume_record(r->done, id, c ? c->family : "", (long long)r->process);
    if (record && c) {
        precision_note(r->precision, item, r->process, record);
        r->broken[item] |= status_is_partial(status_from_name(record_text(record, "status")));
    }
    return record != NULL;
}

/* Variants that cannot run on this CPU get one record and are never scheduled. */
static bool put_unrunnable(struct run *r, size_t item, bool done)
{
    const struct cell *c = bench_cell(r->plan, item);
    if (!c || c->variant->status == STATUS_OK) return false;
    if (r->process == 0 && !done)
        bench_put(r, bench_cell_record(r, c, c->variant->status, c->variant->reason));
    return true;
}

/* Writes the steps of one block that can be run to `kept`, and returns their number. If one cell of
 * a block is missing, the whole block is measured again, because its samples belong together. */
static size_t choose_block(struct run *r, const struct step *steps, size_t count, struct step *kept)
{
    bool is_cells = bench_cell(r->plan, steps[0].item) != NULL, missing = false;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (r->left_out && (!is_cells || r->left_out[steps[0].block])) break;
        const bool done = bench_is_done(r, steps[i].item);
        if (r->broken[steps[i].item] || put_unrunnable(r, steps[i].item, done)) continue;
        missing = missing || !done;
        kept[left++] = steps[i];
    }
    if (!missing) left = 0;
    r->finished += count - left;
    return left;
}

/* Keeps in steps[] what this process still has to measure, in order, and returns the number. */
static size_t bench_choose_steps(struct run *r, struct step *steps)
{
    size_t total = bench_items(r->plan), kept = 0;
    for (size_t i = 0, count; i < total && !r->code; i += count) {
        for (count = 1; i + count < total && steps[i + count].block == steps[i].block;) count++;
        kept += choose_block(r, steps + i, count, steps + kept);
    }
    return kept;
}

/* ---- A process of the plan ------------------------------------------------------------------- */

/* Returns whether an item is among the steps; it is then the first of them. */
static bool put_first(struct step *steps, size_t count, size_t item)
{
    size_t at = 0;
    while (at < count && steps[at].item != item) at++;
    if (at == count) return false;
    const struct step first = steps[at];
    memmove(steps + 1, steps, at * sizeof *steps);
    steps[0] = first;
    return true;
}

/* Gives the status of a worker that ended early to the one cell that it had to measure, in this
 * process and all later ones. The rest of its block is measured without that cell. */
static int blame(struct run *r, const struct step *step, enum status status)
{
    char reason[96];
    const struct cell *c = bench_cell(r->plan, step->item);
    if (!c || r->running.current == NO_ITEM)
        return fail(r->e, EXIT_PARTIAL,
                    "bench: worker: %s before it could measure; look at 'ulplab doctor'",
                    status_name(status));
    r->broken[step->item] = true;
    r->finished++;
    snprintf(reason, sizeof reason, "it ended so in process %llu, on rows of %zu elements%s",
             (unsigned long long)r->process + 1, c->n,
             c->n * sizeof(float) % 64 ? ", which are not all aligned" : "");
    return bench_put(r, bench_cell_record(r, c, status, reason));
}

/* Runs a worker for the steps; returns how it ended. */
static enum status run_worker(struct run *r, const struct step *steps, size_t count,
                              uint64_t attempt)
{
    uint64_t layout = (r->plan->seed ^ (r->process << 20 | attempt)) * RANDOM_STEP;
    r->running = (struct worker){.plan = r->plan,
                                 .setup = r->setup,
                                 .steps = steps,
                                 .count = count,
                                 .layout = layout ^ layout >> 29};
    r->answered = 0;
    enum status status = worker_run(&r->running, bench_receive, r);
    return status == STATUS_OK ? STATUS_KILLED : status;
}

/* Measures the steps that this process has to. If a worker ends early, the cell that it was at runs
 * once more in a worker of its own: if it ends that one, too, it is to blame; if not, another one
 * left something behind that ends a worker later (a thread, an alarm), and every step has its own
 * worker from there on. */
static int run_process(struct run *r, struct step *steps)
{
    size_t left = bench_choose_steps(r, steps);
    bool suspected = false;
    for (uint64_t attempt = 0; left && !r->code; attempt++) {
        const size_t count = suspected || r->alone ? 1 : left;
        const enum status status = run_worker(r, steps, count, attempt);
        if (r->code) break;
        if (status == STATUS_INTERRUPTED) return interrupt_requested();
        steps += r->answered;
        left -= r->answered;
        if (r->answered == count) { /* the worker died after its last record: nothing is lost */
            r->alone |= suspected;
            suspected = false;
        } else if (count == 1) {
            int code = blame(r, steps, status);
            if (code) return code;
            suspected = false;
            steps++, left--;
        } else {
            suspected = put_first(steps, left, r->running.current);
            r->alone |= !suspected;
        }
    }
    return r->code;
}

/* Runs the processes from the present one on. */
static int run_processes(struct run *r, struct step *steps)
{
    int code = 0;
    for (r->finished = 0; r->process < r->processes && !code; r->process++) {
        bench_order(r->plan, r->process, steps);
        code = run_process(r, steps);
    }
    return code;
}

int bench_run_until(struct bench_plan *p, const struct bench_setup *s, const json_t *done,
                    const struct bench_goal *goal, struct record_sink sink,
                    struct progress *progress, struct error *e)
{
    const size_t total = bench_items(p);
    const double begin = monotonic_s();
    struct step *steps = memory_zeroed(total + 1, sizeof *steps);
    bool *left_out = memory_zeroed(bench_blocks(p) + 1, sizeof *left_out);
    struct run r = {.plan = p,
                    .setup = s,
                    .processes = p->processes,
                    .sink = sink,
                    .progress = progress,
                    .precision = precision_open(p),
                    .done = resume_keys(done, "process"),
                    .broken = memory_zeroed(total + 1, sizeof *r.broken),
                    .e = e};
    int code = run_processes(&r, steps);
    const double now = monotonic_s();
    const double until = now + fmax(goal->more_s, goal->more_share * (now - begin));
    const size_t most =
        goal->processes < RATIO_PROCESSES_MAX ? goal->processes : RATIO_PROCESSES_MAX;
    r.left_out = left_out;
    while (!code && goal->half_width > 0 && !precision_judge(r.precision, goal, left_out) &&
           r.processes < most && monotonic_s() < until) {
        r.first = r.processes++;
        code = run_processes(&r, steps);
    }
    p->processes = r.processes;
    precision_close(r.precision);
    free(steps);
    free(left_out);
    free(r.broken);
    json_decref(r.done);
    return code;
}

int bench_run(const struct bench_plan *p, const struct bench_setup *s, const json_t *done,
              struct record_sink sink, struct progress *progress, struct error *e)
{
    struct bench_plan planned = *p;
    return bench_run_until(&planned, s, done, &(struct bench_goal){0}, sink, progress, e);
}

/* ---- Before a run ---------------------------------------------------------------------------- */

/* The sweep's points among raw records, the best of each size; ascending, as the plan has them. */
static size_t sweep_points(const struct bench_plan *p, const json_t *records,
                           struct sweep_point points[SWEEP_MAX])
{
    size_t count = 0, k;
    const json_t *record;
    for (size_t i = 0; i < p->limit_count; i++) {
        struct sweep_point point = {.bytes = p->limits[i].bytes};
        char name[LIMIT_NAME_MAX];
        limit_name(&p->limits[i], name);
        json_array_foreach(records, k, record)
        {
            if (!strcmp(record_text(record, "name"), name))
                point.rate = fmax(point.rate, record_number(record, "value"));
        }
        if (point.rate > 0) points[count++] = point;
    }
    return count;
}

/* A sink that keeps records and passes them to the caller's. */
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
    bench_plan_sweep(&plan, s);
    int code = bench_run(&plan, s, done, (struct record_sink){put_both, &tee}, progress, e);
    const size_t count = sweep_points(&plan, tee.kept, points);
    if (!code) s->effective = effective_sizes(&s->topology, points, count);
    bench_plan_free(&plan);
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
