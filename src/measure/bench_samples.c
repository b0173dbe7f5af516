// SPDX-License-Identifier: MIT
#include "measure/bench_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/ratio.h"
#include "model/record.h"

static double *reals_of(const json_t *record, const char *field, double divisor, size_t *count)
{
    json_t *array = json_object_get(record, field);
    size_t n = json_array_size(array);
    double *v = memory_zeroed(n + 1, sizeof *v);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (json_is_number(json_array_get(array, i)))
            v[(*count)++] = json_number_value(json_array_get(array, i)) / divisor;
    return v;
}

void samples_free(struct samples *s)
{
    for (size_t i = 0; i < s->ns.count; i++) free(s->values[i]);
    free((void *)s->ns.sizes);
    free(s->values);
    free(s->medians);
    free(s->cycles);
    free(s->all);
    free(s->low);
}

/* Adds one process's record; its ns samples stay in the order in which they were taken. */
static bool add_process(struct samples *s, size_t *sizes, const json_t *record)
{
    double rows = record_number(record, "rows");
    size_t n, cycle_count;
    double *ns = reals_of(record, "ns", rows, &n);
    double *cycles = reals_of(record, "cycles", rows, &cycle_count);
    double *all = realloc(s->all, (s->total + n + 1) * sizeof *all);
    if (all) s->all = all;
    if (!ns || !cycles || !all || !n) {
        free(ns);
        free(cycles);
        return ns && cycles && all; /* no sample is no error: the cell did not run */
    }
    memcpy(s->all + s->total, ns, n * sizeof *ns);
    size_t p = s->ns.count++;
    s->values[p] = ns;
    sizes[p] = n;
    s->cycles[p] = stats_median(cycles, cycle_count);
    stats_sort(s->all + s->total, n);
    size_t process = (size_t)record_number(record, "process");
    if (json_object_get(record, "round") && process < s->processes)
        s->low[process] = stats_quantile(s->all + s->total, n, RATIO_QUANTILE);
    s->medians[p] = stats_quantile(s->all + s->total, n, 0.5);
    s->total += n;
    s->moved += (size_t)json_integer_value(json_object_get(record, "moved"));
    s->migrated += (size_t)json_integer_value(json_object_get(record, "migrated"));
    free(cycles);
    return true;
}

static size_t processes_of(const struct group *g)
{
    size_t most = 0;
    for (size_t i = 0; i < g->count; i++) {
        size_t process = (size_t)record_number(g->records[i], "process");
        if (process >= most && process < RATIO_PROCESSES_MAX) most = process + 1;
    }
    return most;
}

bool samples_of(const struct group *g, struct samples *s)
{
    size_t *sizes = memory_zeroed(g->count, sizeof *sizes);
    size_t processes = processes_of(g);
    *s = (struct samples){.processes = processes,
                          .low = memory_zeroed(processes + 1, sizeof *s->low),
                          .values = memory_zeroed(g->count, sizeof *s->values),
                          .medians = memory_zeroed(g->count, sizeof *s->medians),
                          .cycles = memory_zeroed(g->count, sizeof *s->cycles)};
    s->ns.sizes = sizes;
    bool ok = sizes && s->values && s->medians && s->cycles && s->low;
    for (size_t i = 0; i < processes && ok; i++) s->low[i] = NAN;
    for (size_t i = 0; i < g->count && ok; i++) ok = add_process(s, sizes, g->records[i]);
    s->ns.samples = (const double *const *)s->values;
    stats_sort(s->all, s->total);
    return ok;
}
