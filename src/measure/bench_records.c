// SPDX-License-Identifier: MIT
#include "measure/bench_records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/shapes.h"
#include "measure/stats.h"
#include "measure/team.h"
#include "model/record.h"
#include "oracle/oracle.h"

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

/* [{"way", "taken", "what", "have", "beyond", "limit", "where", "unit", "why"}]: what the kernel
 * asks about the cell's job, as one of its threads has it; NULL where it asks nothing. */
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

json_t *bench_cell_record(const struct record_source *from, const struct cell *c,
                          enum status status, const char *reason)
{
    char id[CELL_ID_MAX], block[CELL_ID_MAX];
    cell_id(c, id);
    cell_block(c, block);
    json_t *record = json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:s, s:s}", "record",
                               "samples", "process", (json_int_t)from->process, "id", id, "block",
                               block, "variant", c->variant->id, "family", c->family, "rows",
                               (json_int_t)c->rows, "n", (json_int_t)c->n, "threads",
                               (int)c->threads, "status", status_name(status), "reason", reason);
    const struct oracle *oracle = oracle_find(c->variant->op);
    if (oracle && oracle_is_affine(oracle)) json_object_set_new(record, "affine", json_true());
    const struct kernel *k = c->variant->kernel;
    if (!k) return record;
    char compute[LIMIT_NAME_MAX], memory[LIMIT_NAME_MAX];
    struct limit_task compute_limit = cell_compute_limit(c, from->setup);
    struct limit_task memory_limit = cell_memory_limit(c, from->setup);
    limit_name(&compute_limit, compute);
    if (!variant_counts_hold(c->variant)) compute[0] = '\0'; /* no limit has that name */
    limit_name(&memory_limit, memory);
    json_t *more = json_pack("{s:s, s:I, s:f, s:f, s:s, s:s}", "residency",
                             level_name(c->residency), "working_set", (json_int_t)c->working_set,
                             "flops", k->flops * (double)c->n, "bytes", k->bytes * (double)c->n,
                             "compute_limit", compute, "memory_limit", memory);
    json_object_update(record, more);
    json_decref(more);
    if (variant_has_half_lanes(c->variant))
        json_object_set_new(record, "compute_share", json_real(0.5));
    json_t *ports = ports_record(from->setup, c);
    if (ports) json_object_set_new(record, "ports", ports);
    json_t *instructions = instructions_record(from->setup, c);
    if (instructions) json_object_set_new(record, "instructions", instructions);
    if (c->control) json_object_set_new(record, "control", json_true());
    const char *shapes = cell_shapes(c);
    if (shapes) json_object_set_new(record, "shapes", json_string(shapes));
    json_t *ways = ways_record(from->setup, c);
    if (ways) json_object_set_new(record, "ways", ways);
    if (c->threads > 1)
        json_object_set_new(record, "team",
                            json_string(team_split_name(team_split(k, c->rows, c->threads))));
    return record;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Returns times to six digits, more than a clock resolves. */
static json_t *bench_records_times_of(const struct work_cell *m)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->samples; i++) {
        double scale = pow(10, 5 - floor(log10(m->values[i].ns)));
        json_array_append_new(array, record_real(round(m->values[i].ns * scale) / scale));
    }
    return array;
}

/* The median alone: cycles of single samples say no more than their times do. */
static json_t *bench_records_cycles_of(const struct work_cell *m)
{
    double *cycles = memory_zeroed(m->samples + 1, sizeof *cycles);
    for (size_t i = 0; i < m->samples; i++) cycles[i] = m->values[i].cycles;
    json_t *array = json_pack("[o]", record_real(stats_median(cycles, m->samples)));
    free(cycles);
    return array;
}

static json_t *bench_records_moments_of(const struct work_cell *m)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->samples; i++)
        json_array_append_new(array, json_integer((json_int_t)(m->values[i].at_s * 1e6)));
    return array;
}

static json_t *rounds_of(const struct work_cell *m)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->samples; i++)
        json_array_append_new(array, json_integer((json_int_t)m->values[i].round));
    return array;
}

json_t *bench_samples_record(const struct record_source *from, const struct cell *c,
                             const struct work_cell *m)
{
    json_t *record = m->mxcsr_changed
                         ? bench_cell_record(from, c, STATUS_WRONG,
                                             "the kernel leaves MXCSR, x87 or MMX changed")
                         : bench_cell_record(from, c, STATUS_OK, "");
    if (m->call_ns) json_object_set_new(record, "call_ns", record_real(m->call_ns));
    json_t *more = json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:b}", "calls",
        (json_int_t)m->calls, "empty_ns", record_real(m->empty_ns), "ns", bench_records_times_of(m),
        "at_us", bench_records_moments_of(m), "round", rounds_of(m), "cycles",
        bench_records_cycles_of(m), "cycles_source", cycles_source_name(m->source), "x_offset",
        (json_int_t)m->x_offset, "y_offset", (json_int_t)m->y_offset, "thp", BUFFER_THP,
        "environment", (json_int_t)from->environment, "moved", (json_int_t)m->moved, "migrated",
        (json_int_t)m->migrated, "mxcsr_changed", m->mxcsr_changed);
    json_object_update(record, more);
    json_decref(more);
    if (m->hash)
        json_object_set_new(record, "outputs",
                            json_sprintf("%016llx", (unsigned long long)m->hash));
    return record;
}

json_t *bench_limit_record(const struct record_source *from, const struct limit_task *task,
                           double value)
{
    char name[LIMIT_NAME_MAX];
    limit_name(task, name);
    return json_pack("{s:s, s:I, s:s, s:s, s:o, s:s, s:i, s:I}", "record", "limit", "process",
                     (json_int_t)from->process, "name", name, "isa", width_isa(task->width),
                     "value", record_real(value), "unit", limit_unit(task), "threads",
                     (int)task->threads, "bytes", (json_int_t)task->bytes);
}
