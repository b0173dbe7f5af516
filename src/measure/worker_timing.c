// SPDX-License-Identifier: MIT
#include "measure/worker_timing.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "machine/mxcsr.h"
#include "measure/cell.h"
#include "measure/peers.h"
#include "measure/team.h"
#include "oracle/oracle.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Values of families repeat after some rows: many enough that no predictor learns them, few enough
 * that a large working set costs little to fill. */
enum { DISTINCT_ROWS = 64 };

void data_choose_layout(struct data_store *s)
{
    enum { LINE = 64, LINES = 64 };
    uint64_t layout = s->work->layout;
    s->x_offset = layout % LINES * LINE;
    s->y_offset = layout / LINES % LINES * LINE;
}

enum { SCRATCH_EXTRA = 256 };

static size_t data_scratch_bytes(const struct data *d)
{
    return (2 * d->n + SCRATCH_EXTRA + 15) / 16 * 16 * dtype_computed(d->type)->bytes;
}

/* Makes a row of the user's, or of the family; for a shorter call its beginning. row: room for n
 * floats. */
static void make_row(const struct data_store *s, const struct data *d, size_t r, float *row,
                     void *x)
{
    const struct input_rows *input = &s->work->input;
    if (d->type == &dtype_f64 && !input->rows) {
        f64_inputs_row(d->family, d->domain, s->work->seed, r, d->n, x);
        return;
    }
    if (input->rows)
        memcpy(row, input->data + r * input->n, d->n * sizeof *row);
    else
        inputs_row(d->family, d->domain, s->work->seed, r, d->n, row);
    dtype_round_inputs(d->type, row, d->n);
    d->type->narrow(row, x, d->n);
}

static void fill_rows(const struct data_store *s, const struct data *d, size_t first, size_t last)
{
    size_t row_bytes = d->n * d->type->bytes, y_bytes = d->outputs * d->output_bytes;
    bool repeats = !s->work->input.rows;
    float *row = memory_new(d->n * sizeof *row + 1);
    for (size_t r = first; r < last; r++) {
        char *x = d->x.data + r * row_bytes;
        if (!repeats || r < first + DISTINCT_ROWS) {
            make_row(s, d, r, row, x);
        } else {
            memcpy(x, x - DISTINCT_ROWS * row_bytes, row_bytes);
        }
        memset(d->y.data + r * y_bytes, 0, y_bytes);
    }
    free(row);
}

/* Fills the rows. Each thread fills its own rows, and so is the first to touch them. */
static void worker_data_fill(const struct data_store *s, const struct data *d)
{
    const size_t scratch = data_scratch_bytes(d);
#pragma omp parallel for num_threads(d->threads) schedule(static, 1) if (d->threads > 1)
    for (unsigned i = 0; i < d->threads; i++) {
        fill_rows(s, d, team_first_row(d->rows, i, d->threads),
                  team_first_row(d->rows, i + 1, d->threads));
        memset(d->scratch.data + i * scratch, 0, scratch);
    }
}

void data_drop(struct data_store *s)
{
    for (struct data *d = s->first, *next; d; d = next) {
        next = d->next;
        buffer_unmap(&d->x);
        buffer_unmap(&d->y);
        buffer_unmap(&d->scratch);
        gates_close(d->gates);
        free(d->affine);
        free(d);
    }
    s->first = NULL;
    s->bytes = 0;
}

static struct data *data_map(struct data_store *s, const struct data *like)
{
    size_t x = like->rows * like->n * like->type->bytes;
    size_t y = like->rows * like->outputs * like->output_bytes;
    size_t scratch = like->threads * data_scratch_bytes(like);
    /* A helper is one of several, and keeps less. */
    size_t share = s->work->orders == ORDERS_AS_THEY_COME ? 32 : 4;
    if (s->bytes + x + y + scratch > s->topology->memory_bytes / share) data_drop(s);
    struct data *d = memory_new(sizeof *d);
    *d = *like;
    d->x = buffer_map(x, s->x_offset);
    d->y = buffer_map(y, s->y_offset);
    d->scratch = buffer_map(scratch, 0);
    d->gates = gates_open(d->threads);
    if (!d->x.data || !d->y.data || !d->scratch.data || !d->gates)
        work_out_of_memory(x + y + scratch);
    worker_data_fill(s, d);
    d->next = s->first;
    s->first = d;
    s->bytes += x + y + scratch;
    return d;
}

const struct data *data_for(struct data_store *s, const struct work_order *o,
                            const struct kernel *k)
{
    const struct oracle *oracle = oracle_find(k->op); /* a user's operation has none */
    struct data like = {.rows = o->rows,
                        .n = o->n,
                        .type = dtype_of(k),
                        .outputs = oracle_columns(k->op, o->n),
                        .output_bytes = cell_output_bytes(k),
                        .threads = o->threads,
                        .caches = caches_for(s->topology, &s->work->effective, o->threads),
                        .parameters = s->work->parameters,
                        .log_output = o->log_output,
                        .family = family_find(o->family),
                        .domain = oracle ? oracle->domain : DOMAIN_EXPONENT};
    const bool affine = oracle && oracle_is_affine(oracle);
    like.has_beta = affine && oracle_has_beta(oracle);
    for (struct data *d = s->first; d; d = d->next)
        if (d->rows == like.rows && d->n == like.n && d->outputs == like.outputs &&
            d->type == like.type && d->output_bytes == like.output_bytes &&
            d->threads == like.threads && d->domain == like.domain && d->family == like.family &&
            (d->affine != NULL) == affine && d->has_beta == like.has_beta) {
            d->log_output = like.log_output; /* the rows do not depend on it */
            return d;
        }
    if (affine) {
        const size_t half = like.n * dtype_computed(like.type)->bytes;
        char *gamma = memory_new(2 * half + 1);
        like.affine = gamma;
        if (like.type == &dtype_f64)
            f64_inputs_affine(like.n, like.affine, (void *)(gamma + half));
        else
            inputs_affine(like.n, like.affine, (void *)(gamma + half));
    }
    return data_map(s, &like);
}

struct job data_job(const struct data *d, unsigned i)
{
    return (struct job){
        .rows = d->rows,
        .n = d->n,
        .x = d->x.data,
        .x_stride = d->n,
        .y = d->y.data,
        .y_stride = d->outputs,
        .scale = d->parameters.scale,
        .log_output = d->log_output,
        .eps = d->parameters.eps,
        .gamma = d->affine,
        .beta = d->has_beta ? (void *)((char *)d->affine + d->n * dtype_computed(d->type)->bytes)
                            : NULL,
        .scratch = (void *)(d->scratch.data + i * data_scratch_bytes(d)),
        .x_padded = true, /* by the next rows or the buffer's last page */
        .caches = d->caches,
    };
}

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

/* ---- A block --------------------------------------------------------------------------------- */

/* Untimed calls before a sample last this long; longer where the vector width changes, since a core
 * may need a while for wider vectors. A call of over a millisecond needs none. */
static const double settle_s = 20e-6, settle_width_s = 200e-6, settled_s = 1e-3;

struct member {
    const struct work_order *order;
    double call_s;
    size_t takes_part; /* in that many rounds */
    struct work_cell *cell;
};

size_t block_rounds(const struct work_header *work, double sample_s)
{
    const size_t least = 3;
    double patience = work->patience_s / sample_s;
    size_t fit = patience < (double)work->rounds ? (size_t)patience : work->rounds;
    return fit < least && least < work->rounds ? least : fit < least ? work->rounds : fit;
}

bool block_takes_part(size_t taken, size_t rounds, size_t round)
{
    return (round + 1) * taken / rounds > round * taken / rounds;
}

static struct visit_result visit_member(struct member *m, const struct block_hooks *hooks,
                                        const struct visit *visit)
{
    struct visit_result r = hooks->visit(hooks->context, m->order, visit);
    m->cell->moved += r.moved;
    m->cell->migrated += r.migrated;
    m->cell->mxcsr_changed |= r.mxcsr_changed;
    return r;
}

static void begin_member(struct member *m, const struct work_header *work,
                         const struct work_order *order, const struct block_hooks *hooks)
{
    m->order = order;
    m->cell = memory_zeroed(1, sizeof *m->cell);
    m->cell->head = (struct work_message){WORK_CELL, order->item};
    struct visit_result r = visit_member(m, hooks, &(struct visit){0});
    m->cell->calls = r.calls;
    m->cell->hash = r.hash;
    m->cell->call_ns = r.call_ns;
    m->cell->empty_ns = r.empty_ns;
    m->call_s = r.ns * 1e-9;
    m->takes_part = block_rounds(work, m->call_s * (double)r.calls);
}

static void sample_member(struct member *m, size_t round, bool width_changes,
                          const struct block_hooks *hooks)
{
    double settle = width_changes ? settle_width_s : settle_s;
    struct visit visit = {.calls = m->cell->calls};
    if (m->call_s < settled_s) visit.settled_calls = (size_t)(settle / m->call_s) + 1;
    double at = hooks->seconds(hooks->context);
    struct visit_result r = visit_member(m, hooks, &visit);
    m->cell->values[m->cell->samples++] = (struct work_sample){r.ns, r.cycles, at, round};
}

struct place {
    size_t member;
    enum width width;
    uint64_t of_width, own; /* drawn: the places of the widths, and of members in theirs */
};

static int worker_block_by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->of_width != y->of_width) return x->of_width < y->of_width ? -1 : 1;
    return (x->own > y->own) - (x->own < y->own);
}

/* Draws the order of a round, one width after the other, beginning with the width at which the
 * round before ended, because a change of width costs time. */
static size_t draw_round(const struct member *members, size_t count, size_t rounds, size_t round,
                         enum width last, uint64_t *state, struct place *places)
{
    uint64_t of_width[WIDTHS];
    size_t taking_part = 0;
    for (enum width w = 0; w < WIDTHS; w++) of_width[w] = w == last ? 0 : random_next(state) | 1u;
    for (size_t i = 0; i < count; i++) {
        enum width w = members[i].order->width;
        struct place place = {i, w, of_width[w], random_next(state)};
        if (block_takes_part(members[i].takes_part, rounds, round)) places[taking_part++] = place;
    }
    qsort(places, taking_part, sizeof *places, worker_block_by_place);
    return taking_part;
}

static void run_rounds(const struct work_header *work, struct member *members, size_t count,
                       struct place *places, const struct block_hooks *hooks)
{
    uint64_t state = random_mix(work->layout ^ random_mix(members[0].order->block));
    enum width last = members[count - 1].order->width;
    for (size_t round = 0; round < work->rounds; round++) {
        size_t taking_part = draw_round(members, count, work->rounds, round, last, &state, places);
        for (size_t i = 0; i < taking_part; i++) {
            sample_member(&members[places[i].member], round, places[i].width != last, hooks);
            last = places[i].width;
        }
    }
}

void block_measure(const struct work_header *work, const struct work_order *orders, size_t count,
                   const struct block_hooks *hooks)
{
    struct member *members = memory_zeroed(count, sizeof *members);
    struct place *places = memory_zeroed(count, sizeof *places);
    for (size_t i = 0; i < count; i++) begin_member(&members[i], work, &orders[i], hooks);
    run_rounds(work, members, count, places, hooks);
    for (size_t i = 0; i < count; i++) {
        hooks->put(hooks->context, members[i].cell);
        free(members[i].cell);
    }
    free(places);
    free(members);
}
