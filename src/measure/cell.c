// SPDX-License-Identifier: MIT
#include "measure/cell.h"

#include <stdio.h>
#include <string.h>

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

size_t cell_outputs(const struct kernel *k, size_t n)
{
    return oracle_columns(k->op, n);
}

/* Results per row are as the kernel computes, whatever its rows are stored as. */
static bool cell_is_per_element(const struct kernel *k)
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
    return n * dtype_of(k)->bytes + cell_outputs(k, n) * cell_output_bytes(k);
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
    /* The kernel's path is asked by a call: kernels of an ISA that is not there are not called. */
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
