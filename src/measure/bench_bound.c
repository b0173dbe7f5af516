// SPDX-License-Identifier: MIT
#include "measure/bench_bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/limits.h"
#include "model/record.h"

static double limit_value(const json_t *limits, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)limits, i, row)
    {
        if (!strcmp(record_text(row, "name"), name)) return record_number(row, "value");
    }
    return NAN;
}

/* The slowest of the kernel's sets of ports; else, where it does not count its instructions, the
 * arithmetic's best time. */
static struct bounded compute_time(const json_t *record, const json_t *limits)
{
    struct bounded best = {NULL, NAN};
    const char *name;
    json_t *per_row;
    json_object_foreach(json_object_get(record, "ports"), name, per_row)
    {
        double ns = 1e9 * json_number_value(per_row) / limit_value(limits, name);
        if (!(ns <= best.ns_per_row) && ns > 0) best = (struct bounded){name, ns};
    }
    const char *flops = record_text(record, "compute_limit");
    const json_t *share = json_object_get(record, "compute_share");
    const double rate = limit_value(limits, flops) * (share ? json_number_value(share) : 1);
    if (!best.limit) best = (struct bounded){flops, 1e9 * record_number(record, "flops") / rate};
    return best;
}

bool bound_is_counted(const json_t *record)
{
    return *record_text(record, "compute_limit") != '\0';
}

bool bound_is_of_bytes(const json_t *record, const json_t *limits)
{
    return bound_is_counted(record) && !(compute_time(record, limits).ns_per_row > 0);
}

struct bounded bound_of(const json_t *record, const json_t *limits)
{
    const char *memory = record_text(record, "memory_limit");
    if (!bound_is_counted(record)) return (struct bounded){NULL, NAN};
    struct bounded compute = compute_time(record, limits);
    double bytes_ns = 1e9 * record_number(record, "bytes") / limit_value(limits, memory);
    if (!(compute.ns_per_row > 0) && !(bytes_ns > 0)) return (struct bounded){NULL, NAN};
    if (compute.ns_per_row >= bytes_ns || !(bytes_ns > 0)) return compute;
    return (struct bounded){memory, bytes_ns};
}

double bound_count(const json_t *record, const struct bounded *best)
{
    if (!best->limit) return NAN;
    json_t *ports = json_object_get(json_object_get(record, "ports"), best->limit);
    double per_row = ports ? json_number_value(ports)
                     : !strcmp(best->limit, record_text(record, "memory_limit"))
                         ? record_number(record, "bytes")
                         : record_number(record, "flops");
    return per_row / record_number(record, "n");
}

bool bound_is_partly_cached(const json_t *record, const json_t *limits)
{
    double last = 0;
    for (enum level l = 0; l < LEVEL_DRAM; l++) {
        char name[LIMIT_NAME_MAX];
        snprintf(name, sizeof name, "effective-%s", level_name(l));
        last = fmax(last, limit_value(limits, name));
    }
    return !strcmp(record_text(record, "residency"), "DRAM") &&
           record_number(record, "working_set") < 3.99 * last;
}
