/* What an ISA buys on each machine, by operation and level of memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/compare/compare.h"
#include "publish/sections/performance_parts.h"

enum { STEPS = 3, LEVELS_OF_MEMORY = 4 };
static const char *const steps[STEPS][2] = {
    {"scalar", "avx2"}, {"avx2", "avx512"}, {"scalar", "avx512"}};
static const char *const residencies[LEVELS_OF_MEMORY] = {"L1", "L2", "L3", "DRAM"};

bool machine_compare_isas(const struct machine *machine, const char *const isas[2],
                          struct compare_plan *plan, struct comparison *c)
{
    struct error ignored;
    *plan = (struct compare_plan){.kind = COMPARE_AXIS, .axis = "isa", .count = 2, .margin = 0.02};
    for (size_t s = 0; s < 2; s++)
        plan->sides[s] = (struct side){&machine->report.results, machine->folder, isas[s], isas[s]};
    return compare_make(plan, c, &ignored) == 0;
}

double machine_share_of_limit(const struct machine *machine, const char *op, const char *residency,
                              const char *isa)
{
    double sum = 0;
    size_t cells = 0;
    for (size_t i = 0; i < machine->report.results.timing_count; i++) {
        const struct timing_result *t = &machine->report.results.timings[i];
        if (strcmp(t->axes.group, op) || strcmp(t->residency, residency) ||
            strcmp(t->axes.isa, isa) || isnan(t->percent_of_limit))
            continue;
        sum += t->percent_of_limit;
        cells++;
    }
    return sum / (double)cells;
}

static bool was_timed(const struct machine *machine, const char *op, const char *residency)
{
    for (size_t i = 0; i < machine->report.results.timing_count; i++)
        if (!strcmp(machine->report.results.timings[i].axes.group, op) &&
            !strcmp(machine->report.results.timings[i].residency, residency))
            return true;
    return false;
}

static void write_step(struct doc *d, const struct comparison *c, const char *op,
                       const char *residency)
{
    struct compare_mean mean = compare_mean_of(c, 1, op, residency);
    if (isnan(mean.low))
        doc_cell(d, "%.2f", 1 / mean.ratio);
    else
        doc_interval(d, 2, 1 / mean.ratio, 1 / mean.high, 1 / mean.low);
}

static void write_row(const struct machine *machine, struct doc *d, const struct comparison *c,
                      const char *op, const char *residency)
{
    static const char *const isas[] = {"scalar", "avx2", "avx512"};
    doc_row(d);
    doc_cell(d, "%s", op);
    doc_cell(d, "%s", residency);
    doc_cell(d, "%s", machine->name);
    for (size_t k = 0; k < STEPS; k++) write_step(d, &c[k], op, residency);
    for (size_t i = 0; i < 3; i++)
        doc_cell(d, "%.0f", machine_share_of_limit(machine, op, residency, isas[i]));
    doc_row_end(d);
}

/* In the order of their names. */
static void collect_ops(const struct machine *machine, struct axis_values *ops)
{
    for (size_t i = 0; i < machine->report.results.timing_count; i++)
        if (machine->report.results.timings[i].ns_per_element > 0)
            axis_remember(ops, machine->report.results.timings[i].axes.group);
}

static void write_machine(const struct machine *machine, struct doc *d,
                          const struct axis_values *ops)
{
    struct compare_plan *plans = memory_zeroed(STEPS, sizeof *plans);
    struct comparison c[STEPS] = {0};
    bool made[STEPS] = {false};
    for (size_t k = 0; k < STEPS; k++)
        made[k] = machine_compare_isas(machine, steps[k], &plans[k], &c[k]);
    for (size_t o = 0; o < ops->count; o++)
        for (size_t l = 0; l < LEVELS_OF_MEMORY; l++)
            if (was_timed(machine, ops->items[o], residencies[l]))
                write_row(machine, d, c, ops->items[o], residencies[l]);
    for (size_t k = 0; k < STEPS; k++)
        if (made[k]) compare_free(&c[k]);
    free(plans);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void performance_isas(const struct machines *m, struct doc *d)
{
    static const char *const heads[] = {"operation",
                                        "in",
                                        "machine",
                                        "AVX2 / scalar",
                                        "AVX-512 / AVX2",
                                        "AVX-512 / scalar",
                                        "scalar, % of limit",
                                        "AVX2, %",
                                        "AVX-512, %",
                                        NULL};
    struct axis_values ops = {.count = 0};
    for (size_t i = 0; i < m->count; i++) collect_ops(&m->items[i], &ops);
    qsort(ops.items, ops.count, sizeof *ops.items, by_name);
    doc_section(d, "isas", "What an ISA buys");
    doc_text(d, "Speed of the first over the second, same kernel, compiler, policy and shape: "
                "geometric mean [95%% interval]; and how much of its limit each ISA's cells reach, "
                "on average.");
    doc_table(d, heads);
    for (size_t i = 0; i < m->count; i++) write_machine(&m->items[i], d, &ops);
    doc_table_end(d);
    doc_section_end(d);
}
