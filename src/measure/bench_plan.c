#include "measure/bench_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/dtype.h"
#include "oracle/oracle.h"

void cell_id(const struct cell *c, char id[CELL_ID_MAX])
{
    snprintf(id, CELL_ID_MAX, "%s/rows=%zu/n=%zu/threads=%u%s", c->variant->id, c->rows, c->n,
             c->threads, c->log_output ? "/log=1" : "");
}

size_t cell_outputs(const struct kernel *k, size_t n)
{
    return oracle_columns(k->op, n);
}

/* Results per row are fp32 whatever a kernel's rows are stored as. */
static bool is_per_element(const struct kernel *k)
{
    return cell_outputs(k, SIZE_MAX) == SIZE_MAX;
}

size_t cell_output_bytes(const struct kernel *k)
{
    return is_per_element(k) ? dtype_of(k)->bytes : sizeof(float);
}

static size_t row_bytes(const struct kernel *k, size_t n)
{
    return n * dtype_of(k)->bytes + cell_outputs(k, n) * cell_output_bytes(k);
}

/* What chooses for itself may take the widest. */
static enum width width_of(const struct cell *c, const struct bench_setup *s)
{
    return c->variant->peer && !strcmp(c->variant->isa, "auto") ? s->widest
                                                                : width_of_isa(c->variant->isa);
}

struct limit_task cell_compute_limit(const struct cell *c, const struct bench_setup *s)
{
    return (struct limit_task){.kind = LIMIT_FLOPS, .width = width_of(c, s), .threads = c->threads};
}

struct job cell_job(const struct cell *c, const struct bench_setup *s)
{
    return (struct job){.rows = (c->rows + c->threads - 1) / c->threads,
                        .n = c->n,
                        .log_output = c->log_output,
                        .caches = caches_for(&s->topology, &s->effective, c->threads)};
}

const struct vector_ops *job_ops(const struct kernel *k, const struct job *job)
{
    static const struct vector_ops uncounted = {0};
    struct code_path paths[CODE_PATHS_MAX];
    size_t count = k->paths ? k->paths(job, paths) : 0;
    for (size_t i = count; i-- > 0;)
        if (paths[i].taken && paths[i].ops) return paths[i].ops;
    if (!job->log_output) return &k->ops;
    return k->log_ops ? k->log_ops : &uncounted;
}

const struct vector_ops *cell_ops(const struct cell *c, const struct bench_setup *s)
{
    const struct job job = cell_job(c, s);
    /* A kernel that is asked is run: not one of an ISA that is not there. */
    if (c->variant->status != STATUS_OK) return &c->variant->kernel->ops;
    return job_ops(c->variant->kernel, &job);
}

struct instructions variant_instructions(const struct variant *v, const struct vector_ops *o)
{
    bool fused = v->build && v->build->counts.fma > 0 && policy_promises(v->policy) != PROMISES_OFF;
    struct instructions i = {.lanes = width_lanes(width_of_isa(v->isa)),
                             .mul = o->fma + o->mad + o->mul,
                             .add = o->add + (fused ? 0 : o->mad),
                             .max = o->max,
                             .other = o->other,
                             .permute = o->permute};
    bool counted = i.lanes > 1 ? i.mul + i.add + i.max + i.other > 0
                               : i.mul + i.add > 0 && i.max + i.other <= 0;
    return counted ? i : (struct instructions){0};
}

/* Of a set's kinds, per vector; of a mix, 0 where a permutation has fewer multiplications. */
static double instructions_of(const struct instructions *i, unsigned set)
{
    unsigned mix = port_mix(set);
    if (mix) return i->mul >= mix * i->permute ? (mix + 1) * i->permute : 0;
    return (set & PORT_MUL ? i->mul : 0) + (set & PORT_ADD ? i->add : 0) +
           (set & PORT_MAX ? i->max : 0) + (set & PORT_OTHER ? i->other : 0);
}

size_t cell_ports(const struct cell *c, const struct bench_setup *s,
                  struct port_load loads[PORT_SETS])
{
    struct instructions counted = variant_instructions(c->variant, cell_ops(c, s));
    size_t count = 0;
    if (!counted.lanes) return 0;
    for (size_t i = 0; i < PORT_SETS; i++) {
        unsigned set = port_set(i);
        struct limit_task task = {.kind = LIMIT_PORTS,
                                  .width = width_of_isa(c->variant->isa),
                                  .threads = c->threads,
                                  .ports = set};
        double per_vector = instructions_of(&counted, set);
        if (per_vector > 0)
            loads[count++] = (struct port_load){task, per_vector * (double)c->n / counted.lanes};
    }
    return count;
}

/* L1's rate is the same at every size, and short loops would understate it: half of L1 stands for
 * all. Beyond it a lower cache hits now and then, the more the smaller the working set: the limit
 * is measured on as many bytes as the cell has to move. */
struct limit_task cell_memory_limit(const struct cell *c, const struct bench_setup *s)
{
    const size_t round = 4096;
    const struct kernel *k = c->variant->kernel;
    size_t bytes = c->residency == LEVEL_L1 ? s->effective.bytes[LEVEL_L1] / 2 * c->threads
                                            : (size_t)(k->bytes * (double)c->rows * (double)c->n);
    return (struct limit_task){.kind = is_per_element(k) ? LIMIT_COPY : LIMIT_LOAD,
                               .width = width_of(c, s),
                               .threads = c->threads,
                               .bytes = (bytes + round - 1) / round * round};
}

void bench_plan_free(struct bench_plan *p)
{
    free(p->cells);
    free(p->limits);
    *p = (struct bench_plan){0};
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* A shape by where it lives: the largest power of two of rows whose input, and an output of its
 * size, fill at most this share of the level: one shape for all operations. Powers of two, so that
 * a small change of an effective size changes nothing. */
struct place {
    enum level level;
    double share;
    size_t n;
};
static const struct place places[LEVELS] = {{LEVEL_L1, 0.75, 2048},
                                            {LEVEL_L2, 0.5, 4096},
                                            {LEVEL_L3, 0.375, 4096},
                                            {LEVEL_DRAM, 4.0, 4096}};

struct shape {
    size_t rows, n;
};

/* Rows 0 where the machine has no such level. */
static struct shape shape_in(enum level l, const struct kernel *k, const struct bench_setup *s)
{
    const struct place *p = &places[l];
    enum level cache = l;
    if (l == LEVEL_DRAM)
        for (cache = LEVEL_L3; cache > LEVEL_L1 && !s->effective.bytes[cache];) cache--;
    double room = p->share * (double)s->effective.bytes[cache];
    double row = l == LEVEL_DRAM ? (double)row_bytes(k, p->n) : 2 * sizeof(float) * (double)p->n;
    struct shape shape = {.rows = 1, .n = p->n};
    if (room <= 0) return (struct shape){0};
    if (l == LEVEL_DRAM) /* at least four times the last level, not at most */
        while ((double)shape.rows * row < room) shape.rows *= 2;
    else
        while ((double)(2 * shape.rows) * row <= room) shape.rows *= 2;
    return shape;
}

/* ---- Building -------------------------------------------------------------------------------- */

struct builder {
    struct bench_plan *plan;
    const struct bench_setup *setup;
    bool log_output; /* the cells to come are log_softmax's */
    size_t cell_room, limit_room;
    bool failed;
};

/* Room for one more; the array unchanged and `failed` where memory is short. */
static void *grown(struct builder *b, void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    size_t more = *room ? 2 * *room : 256;
    void *bigger = realloc(array, more * size);
    if (!bigger) {
        b->failed = true;
        return array;
    }
    *room = more;
    return bigger;
}

static bool same_task(const struct limit_task *a, const struct limit_task *b)
{
    return a->kind == b->kind && a->width == b->width && a->threads == b->threads &&
           a->bytes == b->bytes && a->ports == b->ports;
}

static void add_limit(struct builder *b, struct limit_task task)
{
    struct bench_plan *p = b->plan;
    for (size_t i = 0; i < p->limit_count; i++)
        if (same_task(&p->limits[i], &task)) return;
    p->limits = grown(b, p->limits, p->limit_count, &b->limit_room, sizeof *p->limits);
    if (!b->failed) p->limits[p->limit_count++] = task;
}

/* One cell and the limits it stands beside. A variant that cannot run here gets its cell too: its
 * row says why. */
static void add_cell(struct builder *b, const struct variant *v, struct shape shape,
                     unsigned threads, const char *family)
{
    struct bench_plan *p = b->plan;
    p->cells = grown(b, p->cells, p->cell_count, &b->cell_room, sizeof *p->cells);
    if (b->failed || !shape.rows) return;
    struct cell *c = &p->cells[p->cell_count++];
    *c = (struct cell){.variant = v,
                       .rows = shape.rows,
                       .n = shape.n,
                       .threads = threads,
                       .log_output = b->log_output};
    snprintf(c->family, sizeof c->family, "%s", family);
    if (!v->kernel) return;
    c->working_set = shape.rows * row_bytes(v->kernel, shape.n);
    c->residency = residency(&b->setup->topology, &b->setup->effective, c->working_set, threads);
    if (v->status != STATUS_OK) return;
    struct port_load loads[PORT_SETS];
    size_t ports = cell_ports(c, b->setup, loads);
    for (size_t i = 0; i < ports; i++) add_limit(b, loads[i].task);
    if (v->kernel->flops > 0) add_limit(b, cell_compute_limit(c, b->setup));
    add_limit(b, cell_memory_limit(c, b->setup));
}

static int finished(struct builder *b, struct error *e)
{
    if (!b->failed) return 0;
    bench_plan_free(b->plan);
    return fail(e, EXIT_PARTIAL,
                "bench: out of memory: the plan; choose fewer cells with --filter");
}

/* ---- Named shapes ---------------------------------------------------------------------------- */

/* A named shape stands for some of these; level LEVELS marks rows x n given outright: for each core
 * where they live in its own caches, else for all together. */
static const char vocabulary_ops[] = " softmax logsumexp ", norm_ops[] = " layernorm moments ";
static const struct named_shape {
    const char *name;
    enum level level;
    struct shape shape;
    enum { FOR_ALL, PER_CORE, AS_FITS } rows; /* AS_FITS: halved until half of memory holds them */
    const char *ops;                          /* " a b ", or NULL: every operation */
} named_shapes[] = {
    /* Rows batched to what half of L1 holds; L2; one row in L3; memory. */
    {"default", LEVELS, {128, 32}, PER_CORE, NULL},
    {"default", LEVELS, {32, 128}, PER_CORE, NULL},
    {"default", LEVELS, {8, 512}, PER_CORE, NULL},
    {"default", LEVELS, {2, 2048}, PER_CORE, NULL},
    {"default", LEVELS, {1, 8192}, PER_CORE, NULL},
    {"default", LEVELS, {1, 32768}, PER_CORE, NULL},
    {"default", LEVELS, {1, 262144}, FOR_ALL, NULL},
    {"default", LEVELS, {1, 1 << 20}, FOR_ALL, NULL},
    {"default", LEVELS, {65536, 256}, FOR_ALL, NULL},
    {"default", LEVELS, {4096, 4096}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 1}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 7}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 16}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 64}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 256}, FOR_ALL, NULL},
    {"cache", LEVEL_L1, {0}, PER_CORE, NULL},
    {"cache", LEVEL_L2, {0}, PER_CORE, NULL},
    {"cache", LEVEL_L3, {0}, FOR_ALL, NULL},
    {"memory", LEVEL_DRAM, {0}, FOR_ALL, NULL},
    {"huge", LEVELS, {1, 1 << 24}, FOR_ALL, NULL},
    {"huge", LEVELS, {65536, 4096}, FOR_ALL, NULL},
    /* Attention of 128 x 12 heads, of 1 x 32 heads, of 32 x 12 over a ViT's 197 patches (rows that
     * begin within a line), vocabularies (odd tails), the widths of layer normalisations. */
    {"models", LEVELS, {128 * 12 * 128, 128}, AS_FITS, vocabulary_ops},
    {"models", LEVELS, {32 * 2048, 2048}, AS_FITS, vocabulary_ops},
    {"models", LEVELS, {32 * 12 * 197, 197}, AS_FITS, vocabulary_ops},
    {"models", LEVELS, {32, 50257}, FOR_ALL, vocabulary_ops},
    {"models", LEVELS, {8, 128256}, FOR_ALL, vocabulary_ops},
    {"models", LEVELS, {2048, 768}, FOR_ALL, norm_ops},
    {"models", LEVELS, {2048, 1024}, FOR_ALL, norm_ops},
    {"models", LEVELS, {2048, 4096}, FOR_ALL, norm_ops},
    {"models", LEVELS, {2048, 5120}, FOR_ALL, norm_ops},
};
enum { NAMED_SHAPES = sizeof named_shapes / sizeof *named_shapes };

static bool takes_shape(const struct named_shape *named, const char *op)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", op);
    return !named->ops || strstr(named->ops, word);
}

/* Input and output together. */
static bool fits(struct shape shape, const struct bench_setup *s)
{
    return 8.0 * (double)shape.rows * (double)shape.n <= 0.5 * (double)s->topology.memory_bytes;
}

/* What a named shape is for one kernel here; no rows where the machine has no room for it. */
static struct shape resolve(const struct named_shape *named, const struct variant *v,
                            const struct bench_setup *s, unsigned threads)
{
    struct shape shape = named->shape;
    if (!takes_shape(named, v->op)) return (struct shape){0};
    if (named->level < LEVELS)
        shape = v->kernel ? shape_in(named->level, v->kernel, s)
                          : (struct shape){1, places[named->level].n};
    if (named->rows == PER_CORE) shape.rows *= threads;
    while (named->rows == AS_FITS && shape.rows > 1 && !fits(shape, s)) shape.rows /= 2;
    return fits(shape, s) ? shape : (struct shape){0};
}

const char *cell_shapes(const struct cell *c)
{
    for (size_t i = 0; i < NAMED_SHAPES && c->threads == 1; i++) {
        const struct named_shape *named = &named_shapes[i];
        bool rows = named->shape.rows == c->rows ||
                    (named->rows == AS_FITS && c->rows && named->shape.rows % c->rows == 0);
        if (named->level == LEVELS && strcmp(named->name, "small") && rows &&
            named->shape.n == c->n && takes_shape(named, c->variant->op))
            return named->name;
    }
    return NULL;
}

/* ---- The plans of `run` ---------------------------------------------------------------------- */

enum choice { ALL, VECTOR_SHIPPABLE, VECTOR_OFF };

/* A function of one element is what it is in L1, but for the bandwidth beyond, which the others
 * show; and so is a kernel in another storage type. */
static bool tells_more(enum level level, const struct variant *v)
{
    const struct oracle *o = oracle_find(v->op);
    return level == LEVEL_L1 || (!strcmp(v->dtype, "f32") && !(o && o->unary));
}

/* Who is timed beyond the first shape: what a person would ship. */
static bool chosen(enum choice choice, const struct variant *v)
{
    if (choice == ALL || v->peer) return true;
    if (!strcmp(v->isa, "scalar")) return false;
    if (!strcmp(v->policy, "off")) return true;
    return choice == VECTOR_SHIPPABLE &&
           (!strcmp(v->policy, "fast") || !strcmp(v->policy, "default"));
}

enum team { ALONE, ALL_CORES };

static const struct effort {
    size_t processes, samples;
    double warmup_s, sample_s, patience_s;
    struct slice {
        enum choice choice;
        enum level level;
        enum team team;
        const char *family;
    } slices[10]; /* up to the first without a family */
} efforts[] = {
    [BENCH_QUICK] = {6, 5, 1e-3, 100e-6, 0.02, {{ALL, LEVEL_L1, ALONE, "normal"}}},
    [BENCH_DEFAULT] = {6,
                       8,
                       5e-3,
                       200e-6,
                       0.04,
                       {{ALL, LEVEL_L1, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_L1, ALONE, "tiny"},
                        {VECTOR_OFF, LEVEL_L1, ALL_CORES, "normal"},
                        {VECTOR_SHIPPABLE, LEVEL_L2, ALONE, "normal"},
                        {VECTOR_SHIPPABLE, LEVEL_L3, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_DRAM, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_DRAM, ALL_CORES, "normal"}}},
    [BENCH_FULL] = {12,
                    15,
                    5e-3,
                    400e-6,
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

/* Does any peer perform this operation? */
static bool peers_know(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].peer && !strcmp(r->variants[i].op, op)) return true;
    return false;
}

/* On one thread, on family normal; a slice may have had the same shape. */
static bool has_cell(const struct builder *b, const struct variant *v, struct shape shape)
{
    for (size_t i = 0; i < b->plan->cell_count; i++) {
        const struct cell *c = &b->plan->cells[i];
        if (c->variant == v && c->rows == shape.rows && c->n == shape.n && c->threads == 1 &&
            c->log_output == b->log_output && !strcmp(c->family, "normal"))
            return true;
    }
    return false;
}

/* What the field is of: fp32, the operations that peers know; without peers, those of whole rows.
 */
static bool is_of_field(const struct registry *r, const struct variant *v)
{
    const struct oracle *o = oracle_find(v->op);
    return v->kernel && !v->study && !strcmp(v->dtype, "f32") &&
           (r->peer_count ? peers_know(r, v->op) : o && !o->unary);
}

/* Has the operation a kernel that writes its FMAs out? */
static bool has_explicit(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].kernel && !strcmp(r->variants[i].op, op) &&
            r->variants[i].kernel->arithmetic == ARITHMETIC_EXPLICIT)
            return true;
    return false;
}

/* Beyond `default`, where a cell may take seconds: what may win there. */
static bool contends(const struct registry *r, const struct variant *v)
{
    const struct kernel *k = v->kernel;
    if (v->peer || k->hazard || k->arithmetic == ARITHMETIC_LIBRARY || !k->chains) return v->peer;
    bool unfused = policy_promises(v->policy) == PROMISES_OFF;
    return k->arithmetic == ARITHMETIC_EXPLICIT || !unfused || !has_explicit(r, v->op);
}

static bool asks_field(const struct registry *r, const struct run_request *q)
{
    return q->shape_count || (r->peer_count && q->effort != BENCH_QUICK);
}

static enum choice field_choice(const struct run_request *q)
{
    return q->effort == BENCH_FULL ? VECTOR_SHIPPABLE : VECTOR_OFF;
}

bool bench_times_log(const struct registry *r, const struct run_request *q, const struct variant *v)
{
    return asks_field(r, q) && is_of_field(r, v) && !strcmp(v->op, "softmax") &&
           chosen(field_choice(q), v) && (v->peer ? v->peer->log_softmax : contends(r, v));
}

struct field_request {
    const struct registry *registry;
    const struct run_request *run;
};

static bool is_wanted(const struct builder *b, const struct field_request *f,
                      const struct named_shape *named, const struct variant *v)
{
    if (b->log_output) return bench_times_log(f->registry, f->run, v);
    bool all = !strcmp(named->name, "default");
    return is_of_field(f->registry, v) && chosen(field_choice(f->run), v) &&
           (all || contends(f->registry, v));
}

static void add_contenders(struct builder *b, const struct field_request *f,
                           const struct named_shape *named)
{
    for (size_t i = 0; i < f->registry->count; i++) {
        const struct variant *v = &f->registry->variants[i];
        struct shape shape = resolve(named, v, b->setup, 1);
        if (is_wanted(b, f, named, v) && !has_cell(b, v, shape)) add_cell(b, v, shape, 1, "normal");
    }
}

/* ROWSxN; rows 0 where it is none. */
static struct shape shape_given(const char *text)
{
    struct shape shape;
    int used = 0;
    bool whole = sscanf(text, "%9zux%12zu%n", &shape.rows, &shape.n, &used) == 2 && !text[used];
    return whole && shape.rows && shape.n ? shape : (struct shape){0};
}

/* Beside the field, at one shape of the request's: what a person would ship. */
static void add_field_shape(struct builder *b, const struct field_request *f, const char *text)
{
    for (size_t s = 0; s < NAMED_SHAPES; s++)
        if (!strcmp(named_shapes[s].name, text)) add_contenders(b, f, &named_shapes[s]);
    struct named_shape given = {.name = "", .level = LEVELS, .shape = shape_given(text)};
    if (given.shape.rows) add_contenders(b, f, &given);
}

static void add_field_shapes(struct builder *b, const struct registry *r,
                             const struct run_request *q)
{
    struct field_request f = {r, q};
    for (size_t i = 0; i < q->shape_count; i++) add_field_shape(b, &f, q->shapes[i]);
    if (q->shape_count || !asks_field(r, q)) return;
    add_field_shape(b, &f, "default");
    if (q->effort == BENCH_FULL) add_field_shape(b, &f, "huge");
}

static void add_field(struct builder *b, const struct registry *r, const struct run_request *q)
{
    add_field_shapes(b, r, q);
    b->log_output = true;
    add_field_shapes(b, r, q);
    b->log_output = false;
}

static void add_slice(struct builder *b, const struct slice *slice, const struct registry *r)
{
    unsigned cores = b->setup->topology.cores;
    unsigned threads = slice->team == ALL_CORES ? cores : 1;
    if (slice->team == ALL_CORES && cores < 2) return;
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->study) continue;
        if (!v->kernel) { /* one row that says so is enough */
            if (slice->choice == ALL && slice->level == LEVEL_L1 && threads == 1)
                add_cell(b, v, (struct shape){1, places[LEVEL_L1].n}, 1, slice->family);
            continue;
        }
        if (!chosen(slice->choice, v)) continue;
        if (slice->choice != ALL && !tells_more(slice->level, v)) continue;
        struct shape shape = shape_in(slice->level, v->kernel, b->setup);
        /* Each core's own caches hold a share each; what is shared holds one working set. */
        if (slice->level < LEVEL_L3) shape.rows *= threads;
        add_cell(b, v, shape, threads, slice->family);
    }
}

/* One row among all cores, and on one: what a person would ship, where it can. */
static void add_one_row(struct builder *b, const struct registry *r)
{
    static const size_t lengths[] = {1 << 18, 1 << 20};
    unsigned cores = b->setup->topology.cores;
    for (size_t i = 0; i < r->count && cores > 1; i++) {
        const struct variant *v = &r->variants[i];
        if (!v->kernel || v->study || !v->kernel->stages || !chosen(VECTOR_OFF, v) ||
            !tells_more(LEVEL_L3, v))
            continue;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            struct shape shape = {1, lengths[k]};
            if (!has_cell(b, v, shape)) add_cell(b, v, shape, 1, "normal");
            add_cell(b, v, shape, cores, "normal");
        }
    }
}

int bench_plan_run(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                   const struct run_request *q, struct error *e)
{
    const struct effort *f = &efforts[q->effort];
    *p = (struct bench_plan){.parameters = parameters_default,
                             .processes = f->processes,
                             .samples = f->samples,
                             .warmup_s = f->warmup_s,
                             .sample_s = f->sample_s,
                             .patience_s = f->patience_s,
                             .timeout_s = q->shape_count ? 120 : 20, /* 2 GB take their time */
                             .seed = q->seed};
    struct builder b = {.plan = p, .setup = s};
    for (const struct slice *slice = f->slices; slice->family && !b.failed; slice++)
        add_slice(&b, slice, r);
    add_field(&b, r, q);
    if (q->effort != BENCH_QUICK) add_one_row(&b, r);
    return finished(&b, e);
}

int bench_plan_sweep(struct bench_plan *p, const struct bench_setup *s, uint64_t seed,
                     struct error *e)
{
    size_t sizes[SWEEP_MAX], count = sweep_sizes(&s->topology, sizes);
    *p = (struct bench_plan){.processes = 2, .timeout_s = 60, .seed = seed};
    struct builder b = {.plan = p, .setup = s};
    for (size_t i = 0; i < count; i++)
        add_limit(&b,
                  (struct limit_task){
                      .kind = LIMIT_SWEEP, .width = s->widest, .threads = 1, .bytes = sizes[i]});
    return finished(&b, e);
}

/* ---- The plan of `bench` --------------------------------------------------------------------- */

struct ask {
    const struct bench_request *request;
    const struct registry *registry;
    unsigned threads;
};

/* One shape for every variant and family. */
static void add_shape(struct builder *b, const struct ask *ask, const struct named_shape *named)
{
    static const char *const normal[] = {"normal"};
    const struct bench_request *q = ask->request;
    const char *const *families = q->family_count ? q->families : normal;
    size_t family_count = q->family_count ? q->family_count : 1;
    for (size_t i = 0; i < ask->registry->count; i++)
        for (size_t f = 0; f < family_count; f++) {
            const struct variant *v = &ask->registry->variants[i];
            if (v->study) continue;
            add_cell(b, v, resolve(named, v, b->setup, ask->threads), ask->threads, families[f]);
        }
}

/* Given outright: whether it fits is check_memory's to say. */
static void add_given(struct builder *b, const struct ask *ask, struct shape shape)
{
    const struct bench_request *q = ask->request;
    for (size_t i = 0; i < ask->registry->count; i++)
        for (size_t f = 0; f < (q->family_count ? q->family_count : 1); f++)
            if (!ask->registry->variants[i].study)
                add_cell(b, &ask->registry->variants[i], shape, ask->threads,
                         q->family_count ? q->families[f] : "normal");
}

static bool is_named(const char *text)
{
    for (size_t i = 0; i < NAMED_SHAPES; i++)
        if (!strcmp(named_shapes[i].name, text)) return true;
    return false;
}

int bench_check_shapes(const char *const *shapes, size_t count, struct error *e)
{
    for (size_t i = 0; i < count; i++)
        if (!is_named(shapes[i]) && !shape_given(shapes[i]).rows)
            return fail(e, EXIT_USAGE,
                        "--shapes: '%s': not default, small, cache, memory, huge, models or "
                        "ROWSxN; see --help",
                        shapes[i]);
    return 0;
}

static void add_shape_text(struct builder *b, const struct ask *ask, const char *text)
{
    for (size_t i = 0; i < NAMED_SHAPES; i++)
        if (!strcmp(named_shapes[i].name, text)) add_shape(b, ask, &named_shapes[i]);
    struct shape shape = shape_given(text);
    if (shape.rows) add_given(b, ask, shape);
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
            return fail(e, EXIT_USAGE, "--n: 0: an empty row takes no time; give 1 or more");
    for (size_t i = 0; i < q->row_count; i++)
        if (!q->rows[i])
            return fail(e, EXIT_USAGE, "--rows: 0: no row takes no time; give 1 or more");
    if (q->threads > s->topology.cores)
        return fail(e, EXIT_USAGE, "--threads: %u: the cpuset has %u cores; give at most that",
                    q->threads, s->topology.cores);
    if (q->samples > 1000)
        return fail(e, EXIT_USAGE, "--samples: %zu: more than 1000 per process; raise --processes",
                    q->samples);
    return 0;
}

static int check_memory(const struct bench_plan *p, const struct bench_setup *s, struct error *e)
{
    for (size_t i = 0; i < p->cell_count; i++) {
        const struct cell *c = &p->cells[i];
        double bytes = 8.0 * (double)c->rows * (double)c->n;
        if (bytes > 0.5 * (double)s->topology.memory_bytes)
            return fail(
                e, EXIT_USAGE,
                "bench: %zux%zu: %.1f GB is over half of the memory; choose a smaller shape",
                c->rows, c->n, bytes * 1e-9);
    }
    return 0;
}

int bench_plan_request(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                       const struct bench_request *q, struct error *e)
{
    static const char *const default_shape[] = {"default"};
    static const size_t default_n = 4096, default_rows = 64;
    *p = (struct bench_plan){.parameters = q->parameters ? *q->parameters : parameters_default,
                             .processes = q->processes ? q->processes : 6,
                             .samples = q->samples ? q->samples : 10,
                             .warmup_s = 5e-3,
                             .sample_s = 200e-6,
                             .patience_s = 0.5,
                             .timeout_s = 60,
                             .seed = q->seed};
    struct builder b = {.plan = p, .setup = s, .log_output = p->parameters.log_output};
    struct ask ask = {.request = q, .registry = r, .threads = q->threads ? q->threads : 1};
    bool listed = q->n_count || q->row_count;
    const char *const *shapes = q->shape_count ? q->shapes : default_shape;
    size_t shape_count = q->shape_count ? q->shape_count : !listed;
    int code = check_request(q, s, e);
    if (!code) code = bench_check_shapes(shapes, shape_count, e);
    for (size_t i = 0; i < shape_count && !code; i++) add_shape_text(&b, &ask, shapes[i]);
    for (size_t i = 0; listed && i < (q->row_count ? q->row_count : 1) && !code; i++)
        for (size_t k = 0; k < (q->n_count ? q->n_count : 1); k++)
            add_given(&b, &ask,
                      (struct shape){q->row_count ? q->rows[i] : default_rows,
                                     q->n_count ? q->n[k] : default_n});
    if (!code) code = check_memory(p, s, e);
    if (code) return bench_plan_free(p), code;
    return finished(&b, e);
}

/* ---- Order ----------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Items of one class share a vector width and a number of threads. */
static unsigned class_of(const struct bench_plan *p, size_t item)
{
    if (item >= p->cell_count) {
        const struct limit_task *l = &p->limits[item - p->cell_count];
        return l->threads * WIDTHS + l->width;
    }
    const struct cell *c = &p->cells[item];
    return c->threads * WIDTHS + width_of_isa(c->variant->isa);
}

/* Two draws decide where an item goes: its block's, then its own. */
struct slot {
    size_t item;
    unsigned class;
    uint64_t block, own;
};

static int by_class(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->own > y->own) - (x->own < y->own);
}

static int by_block(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->own > y->own) - (x->own < y->own);
}

bool bench_order(const struct bench_plan *p, uint64_t process, struct step *steps)
{
    enum { BLOCK = 16 };
    size_t total = p->cell_count + p->limit_count;
    struct slot *slots = calloc(total + 1, sizeof *slots);
    if (!slots) return false;
    uint64_t state = p->seed * 0x9e3779b97f4a7c15u ^ (process + 1) * 0xd1342543de82ef95u;
    for (size_t i = 0; i < total; i++)
        slots[i] = (struct slot){.item = i, .class = class_of(p, i), .own = next(&state)};
    qsort(slots, total, sizeof *slots, by_class);
    for (size_t i = 0, length = 0; i < total; i++) {
        bool fresh = !i || slots[i].class != slots[i - 1].class || length == BLOCK;
        length = fresh ? 1 : length + 1;
        slots[i].block = fresh ? next(&state) : slots[i - 1].block;
    }
    qsort(slots, total, sizeof *slots, by_block);
    for (size_t i = 0; i < total; i++)
        steps[i] = (struct step){.item = slots[i].item,
                                 .pause = i && slots[i].class != slots[i - 1].class};
    free(slots);
    return true;
}
