// SPDX-License-Identifier: MIT
#include "measure/cell.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "model/dtype.h"
#include "oracle/oracle.h"

void cell_id(const struct cell *c, char id[CELL_ID_MAX])
{
    snprintf(id, CELL_ID_MAX, "%s/rows=%zu/n=%zu/threads=%u%s%s", c->variant->id, c->rows, c->n,
             c->threads, c->program ? PROGRAM_SUFFIX : "", c->control ? CONTROL_SUFFIX : "");
}

void cell_block(const struct cell *c, char name[CELL_ID_MAX])
{
    snprintf(name, CELL_ID_MAX, "%s/%s/%zux%zu/threads=%u/%s", c->variant->op, c->variant->dtype,
             c->rows, c->n, c->threads, c->family);
}

bool cell_same_block(const struct cell *a, const struct cell *b)
{
    return a->rows == b->rows && a->n == b->n && a->threads == b->threads &&
           !strcmp(a->family, b->family) && !strcmp(a->variant->op, b->variant->op) &&
           !strcmp(a->variant->dtype, b->variant->dtype);
}

bool cell_is_per_element(const struct kernel *k)
{
    const struct oracle *o = oracle_find(k->op);
    return !o || o->elementwise;
}

size_t cell_output_bytes(const struct kernel *k)
{
    const struct dtype *type = dtype_of(k);
    return (cell_is_per_element(k) ? type : dtype_computed(type))->bytes;
}

size_t cell_row_bytes(const struct kernel *k, size_t n)
{
    return n * dtype_of(k)->bytes + oracle_columns(k->op, n) * cell_output_bytes(k);
}

size_t cell_working_set(const struct variant *v, size_t rows, size_t n)
{
    const struct oracle *o = oracle_find(v->op);
    size_t bytes = dtype_computed(dtype_of(v->kernel))->bytes;
    size_t parameters = o ? (oracle_is_affine(o) + oracle_has_beta(o)) * n * bytes : 0;
    return rows * cell_row_bytes(v->kernel, n) + parameters;
}

/* Returns the widest vectors that the cell may use: a library that chooses its own code may take
 * the widest. */
static enum width cell_width_of(const struct cell *c, const struct bench_setup *s)
{
    return c->variant->peer && !strcmp(c->variant->isa, "auto") ? s->widest
                                                                : width_of_isa(c->variant->isa);
}

struct limit_task cell_compute_limit(const struct cell *c, const struct bench_setup *s)
{
    return (struct limit_task){
        .kind = LIMIT_FLOPS, .width = cell_width_of(c, s), .threads = c->threads};
}

struct job cell_job(const struct cell *c, const struct bench_setup *s)
{
    return (struct job){.rows = (c->rows + c->threads - 1) / c->threads,
                        .n = c->n,
                        .log_output = c->variant->kernel->log_output,
                        .caches = caches_for(&s->topology, &s->effective, c->threads)};
}

const struct vector_ops *job_ops(const struct kernel *k, const struct job *job)
{
    struct code_path paths[CODE_PATHS_MAX];
    size_t count = k->paths ? k->paths(job, paths) : 0;
    for (size_t i = count; i-- > 0;)
        if (paths[i].taken && paths[i].ops) return paths[i].ops;
    return &k->ops;
}

const struct vector_ops *cell_ops(const struct cell *c, const struct bench_setup *s)
{
    const struct job job = cell_job(c, s);
    /* A call asks the kernel for its path: kernels of an ISA that this CPU lacks are not called. */
    if (c->variant->status != STATUS_OK) return &c->variant->kernel->ops;
    return job_ops(c->variant->kernel, &job);
}

/* A policy that may simplify arithmetic leaves fewer operations than the file counts. */
bool variant_counts_hold(const struct variant *v)
{
    return v->peer || policy_promises(v->policy) != PROMISES_NOTHING;
}

bool variant_has_half_lanes(const struct variant *v)
{
    return width_lanes(width_of_isa(v->isa)) > 1 && dtype_of(v->kernel) == &dtype_f64;
}

/* Returns the elements of a vector of the ISA in the type that the kernel computes in. */
static unsigned variant_lanes(const struct variant *v)
{
    return width_lanes(width_of_isa(v->isa)) / (variant_has_half_lanes(v) ? 2 : 1);
}

struct instructions variant_instructions(const struct variant *v, const struct vector_ops *o)
{
    if (!variant_counts_hold(v)) return (struct instructions){0};
    bool fused = v->build && v->build->counts.fma > 0 && policy_promises(v->policy) != PROMISES_OFF;
    struct instructions i = {.lanes = variant_lanes(v),
                             .mul = o->fma + o->mad + o->mul,
                             .add = o->add + (fused ? 0 : o->mad),
                             .max = o->max,
                             .other = o->other,
                             .permute = o->permute};
    bool counted = i.lanes > 1 ? i.mul + i.add + i.max + i.other > 0
                               : i.mul + i.add > 0 && i.max + i.other <= 0;
    return counted ? i : (struct instructions){0};
}

/* Returns a set's instructions per vector; for a mix, 0 if there are fewer multiplications than a
 * permutation has beside it. */
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

/* Returns the task that measures the memory limit. L1's rate is the same at every size, and short
 * loops would understate it: half of L1 represents all. Beyond L1 a lower cache hits now and then,
 * the more the smaller the working set: the limit is measured on as many bytes as the cell has to
 * move. */
struct limit_task cell_memory_limit(const struct cell *c, const struct bench_setup *s)
{
    const size_t round = 4096;
    const struct kernel *k = c->variant->kernel;
    size_t parameters = c->working_set - c->rows * cell_row_bytes(k, c->n);
    size_t moved = (size_t)(k->bytes * (double)c->rows * (double)c->n) + parameters;
    size_t bytes = c->residency == LEVEL_L1 ? s->effective.bytes[LEVEL_L1] / 2 * c->threads : moved;
    return (struct limit_task){.kind = cell_is_per_element(k) ? LIMIT_COPY : LIMIT_LOAD,
                               .width = cell_width_of(c, s),
                               .threads = c->threads,
                               .bytes = (bytes + round - 1) / round * round};
}

/* ---- By level -------------------------------------------------------------------------------- */

/* A shape by its level: the largest power of two of rows whose input, and an output of its size,
 * fill at most this share of the level, which gives one shape for all operations. Powers of two
 * keep small changes of an effective size from changing the shape. */
struct place {
    enum level level;
    double share;
    size_t n;
};
static const struct place places[LEVELS] = {{LEVEL_L1, 0.75, 2048},
                                            {LEVEL_L2, 0.5, 4096},
                                            {LEVEL_L3, 0.375, 4096},
                                            {LEVEL_DRAM, 4.0, 4096}};

struct shape shape_in(enum level l, const struct kernel *k, const struct bench_setup *s)
{
    const struct place *p = &places[l];
    if (!k) return (struct shape){1, p->n};
    enum level cache = l;
    if (l == LEVEL_DRAM)
        for (cache = LEVEL_L3; cache > LEVEL_L1 && !s->effective.bytes[cache];) cache--;
    double room = p->share * (double)s->effective.bytes[cache];
    double row =
        l == LEVEL_DRAM ? (double)cell_row_bytes(k, p->n) : 2 * sizeof(float) * (double)p->n;
    struct shape shape = {.rows = 1, .n = p->n};
    if (room <= 0) return (struct shape){0};
    if (l == LEVEL_DRAM) /* at least four times the last level, not at most */
        while ((double)shape.rows * row < room) shape.rows *= 2;
    else
        while ((double)(2 * shape.rows) * row <= room) shape.rows *= 2;
    return shape;
}

/* ---- By name --------------------------------------------------------------------------------- */

/* Level LEVELS marks rows x n given outright: for each core where they live in its own caches, else
 * for all together. */
static const char vocabulary_ops[] = " softmax logsumexp ",
                  norm_ops[] = " layernorm layernorm_bare rmsnorm moments ";
static const struct named_shape {
    const char *name;
    enum level level;
    struct shape shape;
    enum { FOR_ALL, PER_CORE, AS_FITS } rows; /* AS_FITS: halved until half of memory holds them */
    const char *ops;                          /* " a b ", or NULL: every operation */
} named_shapes[] = {
    /* Rows batched to half of L1; L2; one row in L3; memory. */
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

bool shape_fits(struct shape shape, const struct bench_setup *s)
{
    return 8.0 * (double)shape.rows * (double)shape.n <= 0.5 * (double)s->topology.memory_bytes;
}

struct shape shape_resolve(const struct named_shape *named, const struct variant *v,
                           const struct bench_setup *s, unsigned threads)
{
    struct shape shape = named->shape;
    if (!takes_shape(named, v->op)) return (struct shape){0};
    if (named->level < LEVELS) shape = shape_in(named->level, v->kernel, s);
    if (named->rows == PER_CORE) shape.rows *= threads;
    while (named->rows == AS_FITS && shape.rows > 1 && !shape_fits(shape, s)) shape.rows /= 2;
    return shape_fits(shape, s) ? shape : (struct shape){0};
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

const struct named_shape *shape_named(const char *name, const struct named_shape *previous)
{
    const struct named_shape *shape = previous ? previous + 1 : named_shapes;
    while (shape < named_shapes + NAMED_SHAPES && strcmp(shape->name, name)) shape++;
    return shape < named_shapes + NAMED_SHAPES ? shape : NULL;
}

/* ---- Given ----------------------------------------------------------------------------------- */

struct shape shape_given(const char *text)
{
    struct shape shape;
    int used = 0;
    bool whole = sscanf(text, "%9zux%12zu%n", &shape.rows, &shape.n, &used) == 2 && !text[used];
    return whole && shape.rows && shape.n ? shape : (struct shape){0};
}

int shape_check_memory(struct shape shape, double memory_bytes, struct error *e)
{
    const double bytes = 8.0 * (double)shape.rows * (double)shape.n;
    if (bytes <= 0.5 * memory_bytes) return 0;
    return fail(e, EXIT_USAGE,
                "bench: %zux%zu: %.1f GB is over half of the memory; choose a smaller shape",
                shape.rows, shape.n, bytes * 1e-9);
}

int bench_check_shapes(const char *const *shapes, size_t count, struct error *e)
{
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double memory = fmin(machine, cgroup_limits_read("").memory_bytes);
    int code = 0;
    for (size_t i = 0; i < count && !code; i++) {
        struct shape given = shape_given(shapes[i]);
        if (given.rows)
            code = shape_check_memory(given, memory, e);
        else if (!shape_named(shapes[i], NULL))
            code = fail(e, EXIT_USAGE,
                        "--shapes: '%s': not default, small, cache, memory, huge, models or "
                        "ROWSxN; see --help",
                        shapes[i]);
    }
    return code;
}
