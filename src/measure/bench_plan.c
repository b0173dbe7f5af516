// SPDX-License-Identifier: MIT
#include "measure/bench_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "measure/ratio.h"
#include "measure/cell.h"
#include "oracle/inputs.h"
#include "oracle/oracle.h"

void bench_plan_free(struct bench_plan *p)
{
    free(p->cells);
    free(p->limits);
    *p = (struct bench_plan){0};
}

size_t bench_items(const struct bench_plan *p)
{
    return p->cell_count + p->control_count + p->limit_count;
}

size_t bench_blocks(const struct bench_plan *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->cell_count; i++)
        if (p->cells[i].block >= count) count = p->cells[i].block + 1;
    return count;
}

const struct cell *bench_cell(const struct bench_plan *p, size_t item)
{
    return item < p->cell_count + p->control_count ? &p->cells[item] : NULL;
}

/* The place of a block in the order, drawn from its number, so that all of its members have the
 * same place. */
struct slot {
    struct step step;
    uint64_t place;
};

static int bench_plan_by_place(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->step.item > y->step.item) - (x->step.item < y->step.item);
}

void bench_order(const struct bench_plan *p, uint64_t process, struct step *steps)
{
    size_t total = bench_items(p);
    struct slot *slots = memory_zeroed(total + 1, sizeof *slots);
    uint64_t draw = random_mix(p->seed * RANDOM_STEP ^ (process + 1) * 0xd1342543de82ef95u);
    for (size_t i = 0; i < total; i++) {
        const struct cell *c = bench_cell(p, i);
        /* A limit is a separate block, with a number that no block of cells has. */
        size_t block = c ? c->block : total + i;
        slots[i] = (struct slot){{i, block}, random_mix(draw + block)};
    }
    qsort(slots, total, sizeof *slots, bench_plan_by_place);
    for (size_t i = 0; i < total; i++) steps[i] = slots[i].step;
    free(slots);
}

/* ---- A plan under construction --------------------------------------------------------------- */

/* Cells are added one by one, each with the limits that apply to it, and each limit once. */
struct plan_builder {
    struct bench_plan *plan;
    const struct bench_setup *setup;
    const struct registry *registry;
};

/* Makes room for one more: arrays are as long as the next power of two. */
static void *grown(void *array, size_t count, size_t size)
{
    return count & (count - 1) ? array : memory_grow(array, (count ? 2 * count : 1) * size);
}

static bool same_task(const struct limit_task *a, const struct limit_task *b)
{
    return a->kind == b->kind && a->width == b->width && a->threads == b->threads &&
           a->bytes == b->bytes && a->ports == b->ports;
}

static void plan_add_limit(struct plan_builder *b, struct limit_task task)
{
    struct bench_plan *p = b->plan;
    for (size_t i = 0; i < p->limit_count; i++)
        if (same_task(&p->limits[i], &task)) return;
    p->limits = grown(p->limits, p->limit_count, sizeof *p->limits);
    p->limits[p->limit_count++] = task;
}

/* Adds a cell; nothing if the shape has no rows. A variant that cannot run here also gets a cell:
 * its row gives the reason. */
static void plan_add_cell(struct plan_builder *b, const struct variant *v, struct shape shape,
                          unsigned threads, const char *family)
{
    struct bench_plan *p = b->plan;
    if (!shape.rows) return;
    p->cells = grown(p->cells, p->cell_count, sizeof *p->cells);
    struct cell *c = &p->cells[p->cell_count++];
    *c = (struct cell){.variant = v, .rows = shape.rows, .n = shape.n, .threads = threads};
    snprintf(c->family, sizeof c->family, "%s", family);
    if (!v->kernel) return;
    c->working_set = cell_working_set(v, shape.rows, shape.n);
    c->residency = residency(&b->setup->topology, &b->setup->effective, c->working_set, threads);
    if (v->status != STATUS_OK) return;
    struct port_load loads[PORT_SETS];
    size_t ports = cell_ports(c, b->setup, loads);
    for (size_t i = 0; i < ports; i++) plan_add_limit(b, loads[i].task);
    if (v->kernel->flops > 0 && variant_counts_hold(v))
        plan_add_limit(b, cell_compute_limit(c, b->setup));
    plan_add_limit(b, cell_memory_limit(c, b->setup));
}

/* Adds the cell on one thread and family normal, unless the plan has it. */
static void plan_add_usual(struct plan_builder *b, const struct variant *v, struct shape shape)
{
    for (size_t i = 0; i < b->plan->cell_count; i++) {
        const struct cell *c = &b->plan->cells[i];
        if (c->variant == v && c->rows == shape.rows && c->n == shape.n && c->threads == 1 &&
            !strcmp(c->family, "normal"))
            return;
    }
    plan_add_cell(b, v, shape, 1, "normal");
}

static int plan_builder_by_block(const void *a, const void *b)
{
    const struct cell *const *x = a, *const *y = b;
    const struct cell *c = *x, *d = *y;
    int order = strcmp(c->variant->op, d->variant->op);
    if (!order) order = strcmp(c->variant->dtype, d->variant->dtype);
    if (!order) order = strcmp(c->family, d->family);
    if (!order) order = (c->rows > d->rows) - (c->rows < d->rows);
    if (!order) order = (c->n > d->n) - (c->n < d->n);
    if (!order) order = (c->threads > d->threads) - (c->threads < d->threads);
    return order ? order : (c > d) - (c < d);
}

/* Adds controls: in every block of two or more, every twelfth cell is timed twice, from one on that
 * the seed chooses. */
static void add_controls(struct plan_builder *b, struct cell *const *members, size_t count)
{
    enum { CELLS_PER_CONTROL = 12 };
    struct bench_plan *p = b->plan;
    uint64_t state = p->seed ^ random_mix(members[0]->block);
    size_t start = random_below(&state, count);
    for (size_t i = 0; i < count && count > 1; i += CELLS_PER_CONTROL) {
        struct cell copy = *members[(start + i) % count];
        copy.control = true;
        if (copy.variant->status == STATUS_OK) p->cells[p->cell_count + p->control_count++] = copy;
    }
}

/* Groups the cells into blocks and adds their controls, which may take as much room again. */
static void plan_finish(struct plan_builder *b)
{
    struct bench_plan *p = b->plan;
    size_t count = p->cell_count, first = 0;
    p->cells = memory_grow(p->cells, (2 * count + 1) * sizeof *p->cells);
    struct cell **sorted = memory_new((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++) sorted[i] = &p->cells[i];
    qsort(sorted, count, sizeof(struct cell *), plan_builder_by_block);
    for (size_t i = 0, block = 0; i < count; i++) {
        sorted[i]->block = block;
        if (i + 1 < count && cell_same_block(sorted[i], sorted[i + 1])) continue;
        add_controls(b, sorted + first, i + 1 - first);
        first = i + 1;
        block++;
    }
    free(sorted);
}

void bench_plan_sweep(struct bench_plan *p, const struct bench_setup *s)
{
    size_t sizes[SWEEP_MAX], count = sweep_sizes(&s->topology, sizes);
    *p = (struct bench_plan){.processes = 2, .timeout_s = 60, .seed = 1};
    struct plan_builder b = {.plan = p, .setup = s};
    for (size_t i = 0; i < count; i++)
        plan_add_limit(
            &b, (struct limit_task){
                    .kind = LIMIT_SWEEP, .width = s->widest, .threads = 1, .bytes = sizes[i]});
}

/* ---- Plans of bench and duel ----------------------------------------------------------------- */

/* Adds one shape, named or given, for every variant and family. */
static void add_shape(struct plan_builder *b, const struct bench_request *q,
                      const struct named_shape *named, struct shape given)
{
    const char *const usual[] = {q->input.data ? INPUT_FAMILY : "normal"};
    const char *const *families = q->family_count ? q->families : usual;
    size_t family_count = q->family_count ? q->family_count : 1;
    unsigned threads = q->threads ? q->threads : 1;
    for (size_t i = 0; i < b->registry->count; i++) {
        const struct variant *v = &b->registry->variants[i];
        struct shape shape = named ? shape_resolve(named, v, b->setup, threads) : given;
        for (size_t f = 0; f < family_count && !v->study; f++)
            plan_add_cell(b, v, shape, threads, families[f]);
    }
}

static void add_shape_text(struct plan_builder *b, const struct bench_request *q, const char *text)
{
    const struct named_shape *named = NULL;
    while ((named = shape_named(text, named))) add_shape(b, q, named, (struct shape){0});
    add_shape(b, q, NULL, shape_given(text));
}

static int check_request(const struct bench_request *q, const struct bench_setup *s,
                         struct error *e)
{
    for (size_t i = 0; i < q->family_count; i++)
        if (family_find(q->families[i]) == FAMILY_COUNT)
            return fail(e, EXIT_USAGE, "--family: '%s': not a family that can be timed; see --help",
                        q->families[i]);
    for (size_t i = 0; i < q->n_count; i++)
        if (!q->n[i])
            return fail(e, EXIT_USAGE, "--n: 0: an empty row cannot be timed; give 1 or more");
    for (size_t i = 0; i < q->row_count; i++)
        if (!q->rows[i])
            return fail(e, EXIT_USAGE, "--rows: 0: there is nothing to time; give 1 or more");
    if (q->input.data && (!q->input.rows || !q->input.n))
        return fail(e, EXIT_USAGE,
                    "--input: %zu rows of %zu: there is nothing to time; give some elements",
                    q->input.rows, q->input.n);
    if (q->threads > s->topology.cores)
        return fail(e, EXIT_USAGE, "--threads: %u: the cpuset has %u cores; give at most that",
                    q->threads, s->topology.cores);
    if (q->processes > RATIO_PROCESSES_MAX)
        return fail(e, EXIT_USAGE, "--processes: %zu: more than %d; raise --samples", q->processes,
                    RATIO_PROCESSES_MAX);
    if (q->rounds > BENCH_ROUNDS_MAX)
        return fail(e, EXIT_USAGE, "--samples: %zu: more than 1000 per process; raise --processes",
                    q->rounds);
    return 0;
}

int bench_plan_request(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                       const struct bench_request *q, struct error *e)
{
    static const char *const default_shape[] = {"default"};
    static const size_t default_n = 4096, default_rows = 64;
    *p = (struct bench_plan){.parameters = q->parameters ? *q->parameters : parameters_default,
                             .processes = q->processes ? q->processes : 6,
                             .rounds = q->rounds ? q->rounds : 24,
                             .warmup_s = 2e-3,
                             .sample_s = 100e-6,
                             .patience_s = 0.5,
                             .timeout_s = 60,
                             .seed = q->seed,
                             .input = q->input};
    struct plan_builder b = {.plan = p, .setup = s, .registry = r};
    bool listed = q->n_count || q->row_count;
    const struct shape given = {q->input.rows, q->input.n};
    const char *const *shapes = q->shape_count ? q->shapes : default_shape;
    size_t shape_count = q->shape_count ? q->shape_count : !listed && !given.rows;
    int code = check_request(q, s, e);
    if (!code) code = bench_check_shapes(shapes, shape_count, e);
    if (given.rows && !code) add_shape(&b, q, NULL, given);
    for (size_t i = 0; i < shape_count && !code; i++) add_shape_text(&b, q, shapes[i]);
    for (size_t i = 0; listed && i < (q->row_count ? q->row_count : 1) && !code; i++)
        for (size_t k = 0; k < (q->n_count ? q->n_count : 1); k++)
            add_shape(&b, q, NULL,
                      (struct shape){q->row_count ? q->rows[i] : default_rows,
                                     q->n_count ? q->n[k] : default_n});
    for (size_t i = 0; i < p->cell_count && !code; i++)
        code = shape_check_memory((struct shape){p->cells[i].rows, p->cells[i].n},
                                  (double)s->topology.memory_bytes, e);
    if (code)
        bench_plan_free(p);
    else
        plan_finish(&b);
    return code;
}

int bench_plan_add_program(struct bench_plan *p, const char *program,
                           bool (*has)(const void *context, const char *id), const void *context,
                           struct error *e)
{
    struct cell *all = memory_zeroed(4 * p->cell_count + 1, sizeof *all);
    size_t kept = 0;
    for (size_t i = 0; i < p->cell_count; i++) {
        const struct variant *v = p->cells[i].variant;
        if (v->status != STATUS_OK || v->peer || !has(context, v->id)) continue;
        all[kept] = all[kept + 1] = p->cells[i];
        all[kept + 1].program = program;
        kept += 2;
    }
    free(p->cells);
    p->cells = all;
    p->cell_count = kept;
    p->control_count = 0;
    if (!kept)
        return fail(e, EXIT_USAGE,
                    "duel: %s: no variant in common that can run here; see its 'list'", program);
    /* Every cell of this program is also its own control, the noise that a ratio has to exceed. */
    for (size_t i = 0; i < kept; i += 2) {
        p->cells[kept + p->control_count] = p->cells[i];
        p->cells[kept + p->control_count++].control = true;
    }
    return 0;
}

/* ---- Cells of `ulplab run` for comparison with libraries --------------------------------------
 */

/* The variants that a part of a run times: all; vector code under policies that people ship, or
 * under `off`; of the latter the kernels with their FMAs written out, the fastest of each
 * operation. */
enum choice { ALL, VECTOR_SHIPPABLE, VECTOR_OFF, VECTOR_EXPLICIT };

static bool choice_takes(enum choice choice, const struct variant *v)
{
    if (choice == ALL || v->peer) return true;
    if (!strcmp(v->isa, "scalar")) return false;
    if (!strcmp(v->policy, "off"))
        return choice != VECTOR_EXPLICIT || v->kernel->arithmetic == ARITHMETIC_EXPLICIT;
    return choice == VECTOR_SHIPPABLE &&
           (!strcmp(v->policy, "fast") || !strcmp(v->policy, "default"));
}

/* Returns whether any peer performs this operation. */
static bool peers_know(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].peer && !strcmp(r->variants[i].op, op)) return true;
    return false;
}

/* Returns whether the variant is compared with libraries: fp32, of an operation that some library
 * has, or if no library is built, of one on whole rows. */
static bool is_of_field(const struct registry *r, const struct variant *v)
{
    const struct oracle *o = oracle_find(v->op);
    return v->kernel && !v->study && !strcmp(v->dtype, "f32") &&
           (r->peer_count ? peers_know(r, v->op) : o && !o->unary);
}

/* Returns whether the operation has a kernel with its FMAs written out. */
static bool has_explicit(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].kernel && !strcmp(r->variants[i].op, op) &&
            r->variants[i].kernel->arithmetic == ARITHMETIC_EXPLICIT)
            return true;
    return false;
}

/* Returns whether the variant may be the fastest: only these are timed at shapes beyond `default`,
 * where a cell may take seconds. */
static bool contends(const struct registry *r, const struct variant *v)
{
    const struct kernel *k = v->kernel;
    if (v->peer || k->hazard || k->arithmetic == ARITHMETIC_LIBRARY || !k->chains) return v->peer;
    bool unfused = policy_promises(v->policy) == PROMISES_OFF;
    return k->arithmetic == ARITHMETIC_EXPLICIT || !unfused || !has_explicit(r, v->op);
}

/* Returns whether the variant is the plain loop with reordering of its sums allowed, without which
 * no compiler can vectorise it: how people without a library make it fast. */
static bool is_plain_at_its_best(const struct variant *v)
{
    return !strcmp(v->algorithm, "plain") && !strcmp(v->policy, "fastmath") &&
           strcmp(v->isa, "scalar") != 0;
}

/* Returns whether the variant is timed: at `default` the whole field, at shapes where a cell may
 * take seconds only variants that may be the fastest. */
static bool bench_field_is_wanted(const struct registry *r, enum bench_effort effort,
                                  const struct variant *v, bool all)
{
    const enum choice choice = effort == BENCH_FULL ? VECTOR_SHIPPABLE : VECTOR_OFF;
    if (!is_of_field(r, v)) return false;
    return (all && is_plain_at_its_best(v)) || (choice_takes(choice, v) && (all || contends(r, v)));
}

/* Adds the contenders of a shape, named or given, except for cells that a slice of the run has. */
static void add_field_shape(struct plan_builder *b, enum bench_effort effort, const char *text)
{
    const struct named_shape *named = shape_named(text, NULL);
    const bool all = !strcmp(text, "default");
    do {
        for (size_t i = 0; i < b->registry->count; i++) {
            const struct variant *v = &b->registry->variants[i];
            if (!bench_field_is_wanted(b->registry, effort, v, all)) continue;
            const struct shape shape =
                named ? shape_resolve(named, v, b->setup, 1) : shape_given(text);
            if (shape.rows && shape_fits(shape, b->setup)) plan_add_usual(b, v, shape);
        }
    } while (named && (named = shape_named(text, named)));
}

static void plan_add_field(struct plan_builder *b, const struct run_request *q)
{
    for (size_t i = 0; i < q->shape_count; i++) add_field_shape(b, q->effort, q->shapes[i]);
    if (q->shape_count || !b->registry->peer_count || q->effort == BENCH_QUICK) return;
    add_field_shape(b, q->effort, "default");
    if (q->effort == BENCH_FULL) add_field_shape(b, q->effort, "huge");
}

/* ---- What `ulplab run` times ----------------------------------------------------------------- */

/* Returns whether the registry has the kernel whose object the variant's is a copy of. */
static bool is_copy(const struct registry *r, const struct variant *v)
{
    for (size_t i = 0; v->build && v->build->algorithm && i < r->count; i++) {
        const struct variant *o = &r->variants[i];
        if (o->build && !o->build->algorithm && o->build->code_hash == v->build->code_hash &&
            !strcmp(o->op, v->op) && !strcmp(o->isa, v->isa) && !strcmp(o->cc, v->cc) &&
            !strcmp(o->policy, v->policy) && !strcmp(o->dtype, v->dtype))
            return true;
    }
    return false;
}

/* Returns whether timing the variant at that level adds information. A function of one element has
 * the same speed as in L1 except for the bandwidth, which other kernels show. The same holds for a
 * kernel in another storage type, for a copy of another kernel, and for the second operation of a
 * kernel's code unless its bits are the same everywhere: that one is what people would ship. */
static bool tells_more(const struct registry *r, enum level level, const struct variant *v)
{
    const struct oracle *o = oracle_find(v->op);
    if (level == LEVEL_L1) return true;
    if (strcmp(v->dtype, "f32") || (o && o->unary) || is_copy(r, v)) return false;
    bool second = v->kernel && variant_file_kernel(v) != v->kernel;
    return !second || v->kernel->arithmetic == ARITHMETIC_EXPLICIT;
}

enum team { ALONE, ALL_CORES };

static const struct effort {
    size_t processes, rounds;
    double warmup_s, sample_s, patience_s;
    struct slice {
        enum choice choice;
        enum level level;
        enum team team;
        const char *family;
    } slices[10]; /* up to the first without a family */
} efforts[] = {
    [BENCH_QUICK] = {6, 12, 0.5e-3, 50e-6, 0.02, {{ALL, LEVEL_L1, ALONE, "normal"}}},
    [BENCH_DEFAULT] = {6,
                       16,
                       0.5e-3,
                       60e-6,
                       0.004,
                       {{ALL, LEVEL_L1, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_L1, ALONE, "tiny"},
                        {VECTOR_OFF, LEVEL_L1, ALL_CORES, "normal"},
                        {VECTOR_SHIPPABLE, LEVEL_L2, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_L3, ALONE, "normal"},
                        {VECTOR_EXPLICIT, LEVEL_DRAM, ALONE, "normal"},
                        {VECTOR_EXPLICIT, LEVEL_DRAM, ALL_CORES, "normal"}}},
    [BENCH_FULL] = {12,
                    40,
                    5e-3,
                    200e-6,
                    0.5,
                    {{ALL, LEVEL_L1, ALONE, "normal"},
                     {ALL, LEVEL_L1, ALONE, "tiny"},
                     {ALL, LEVEL_L1, ALL_CORES, "normal"},
                     {ALL, LEVEL_L2, ALONE, "normal"},
                     {ALL, LEVEL_L2, ALL_CORES, "normal"},
                     {ALL, LEVEL_L3, ALONE, "normal"},
                     {ALL, LEVEL_L3, ALL_CORES, "normal"},
                     {ALL, LEVEL_DRAM, ALONE, "normal"},
                     {ALL, LEVEL_DRAM, ALL_CORES, "normal"}}},
};

static void add_slice(struct plan_builder *b, const struct slice *slice)
{
    const struct registry *r = b->registry;
    unsigned cores = b->setup->topology.cores;
    unsigned threads = slice->team == ALL_CORES ? cores : 1;
    if (slice->team == ALL_CORES && cores < 2) return;
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->study) continue;
        if (!v->kernel) { /* one row with the reason is enough */
            if (slice->choice == ALL && slice->level == LEVEL_L1 && threads == 1)
                plan_add_cell(b, v, shape_in(LEVEL_L1, NULL, b->setup), 1, slice->family);
            continue;
        }
        if (!choice_takes(slice->choice, v)) continue;
        if (slice->choice != ALL && !tells_more(r, slice->level, v)) continue;
        struct shape shape = shape_in(slice->level, v->kernel, b->setup);
        /* Each core's own caches hold a share; a shared cache holds one working set. */
        if (slice->level < LEVEL_L3) shape.rows *= threads;
        plan_add_cell(b, v, shape, threads, slice->family);
    }
}

/* Adds one row on all cores, and on one, for the kernels that a person would ship, if they can
 * share a row. */
static void add_one_row(struct plan_builder *b)
{
    const struct registry *r = b->registry;
    static const size_t lengths[] = {1 << 18, 1 << 20};
    unsigned cores = b->setup->topology.cores;
    for (size_t i = 0; i < r->count && cores > 1; i++) {
        const struct variant *v = &r->variants[i];
        if (!v->kernel || v->study || !v->kernel->stages || !choice_takes(VECTOR_OFF, v) ||
            !tells_more(r, LEVEL_L3, v))
            continue;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            struct shape shape = {1, lengths[k]};
            plan_add_usual(b, v, shape);
            plan_add_cell(b, v, shape, cores, "normal");
        }
    }
}

/* Adds a suite, whose shapes are the same on every machine. A quick run has time for the shortest,
 * under the first policy: every run has those cells. */
static void add_suite(struct plan_builder *b, const struct registry *r, const struct suite *suite,
                      bool quick)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (!(quick ? suite_has_first : suite_has)(suite, v)) continue;
        for (size_t k = 0; k < (quick ? 1 : suite->shape_count); k++) {
            struct shape shape = {suite->shapes[k].rows, suite->shapes[k].n};
            plan_add_usual(b, v, shape);
        }
    }
}

void bench_plan_run(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                    const struct run_request *q)
{
    const struct effort *f = &efforts[q->effort];
    *p = (struct bench_plan){.parameters = parameters_default,
                             .processes = f->processes,
                             .rounds = f->rounds,
                             .warmup_s = f->warmup_s,
                             .sample_s = f->sample_s,
                             .patience_s = f->patience_s,
                             .timeout_s = q->shape_count ? 120 : 20, /* 2 GB take their time */
                             .seed = q->seed};
    struct plan_builder b = {.plan = p, .setup = s, .registry = r};
    const struct suite *suite = q->suite;
    if (suite) {
        add_suite(&b, r, suite, false);
        plan_finish(&b);
        return;
    }
    for (const struct slice *slice = f->slices; slice->family; slice++) add_slice(&b, slice);
    plan_add_field(&b, q);
    if (q->effort != BENCH_QUICK) add_one_row(&b);
    for (size_t number = 1; (suite = suite_find(number)); number++)
        add_suite(&b, q->timed ? q->timed : r, suite, q->effort != BENCH_FULL);
    plan_finish(&b);
}
