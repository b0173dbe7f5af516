/* performance.md of many machines: short, however many they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/doc.h"
#include "publish/site/many.h"

enum { SHOWN = 10 }; /* machines from either end */

struct paced {
    size_t machine;
    double pace;
};

static int by_pace(const void *a, const void *b)
{
    const struct paced *x = a, *y = b;
    if (isnan(x->pace) || isnan(y->pace)) return isnan(x->pace) - isnan(y->pace);
    return (x->pace > y->pace) - (x->pace < y->pace);
}

static void write_machine(struct doc *d, const struct many *m, const struct paced *p)
{
    const struct many_machine *x = &m->machines[p->machine];
    doc_row(d);
    doc_cell(d, "%s", x->slug);
    doc_cell(d, "%s", x->brand);
    doc_number(d, p->pace);
    doc_number(d, many_gain(m, p->machine, NULL));
    doc_number(d, 1e-9 * x->load_dram);
    doc_number(d, 1e-9 * x->flops);
    doc_cell(d, "%zu of %zu", x->compared, x->cells);
    doc_row_end(d);
}

static void write_machines(struct doc *d, const struct many *m)
{
    static const char *const heads[] = {
        "machine",         "CPU",     "time over the mean", "AVX-512 over AVX2",
        "DRAM read, GB/s", "GFLOP/s", "cells that compare", NULL};
    struct paced *list = memory_zeroed(m->machine_count, sizeof *list);
    for (size_t i = 0; i < m->machine_count; i++) list[i] = (struct paced){i, many_pace(m, i)};
    qsort(list, m->machine_count, sizeof *list, by_pace);
    doc_section(d, "machines", "Machines");
    doc_text(d,
             "The %d fastest and the %d slowest of %zu, by the geometric mean of their times over "
             "all machines' mean; limits of one thread. performance.html has all.",
             SHOWN, SHOWN, m->machine_count);
    doc_table(d, heads);
    for (size_t i = 0; i < m->machine_count; i++)
        if (i < SHOWN || i + SHOWN >= m->machine_count) write_machine(d, m, &list[i]);
    doc_table_end(d);
    doc_section_end(d);
    free(list);
}

/* Of the races of an operation at a level, on one thread, the one whose mean is the least. */
static const struct many_race *best_race(const struct many *m, const char *op, int level)
{
    const struct many_race *best = NULL;
    for (size_t i = 0; i < m->race_count; i++) {
        const struct many_line *line = &m->lines[m->races[i].line];
        const struct many_variant *v = &m->variants[line->variant];
        if (strcmp(v->axes.group, op) != 0 || line->level != level ||
            m->shapes[line->shape].threads != 1 || 2 * line->machines < m->machine_count)
            continue;
        if (!best || line->log_mean < m->lines[best->line].log_mean) best = &m->races[i];
    }
    return best;
}

static void write_race(struct doc *d, const struct many *m, const struct many_race *race,
                       float *sorted)
{
    const struct many_line *line = &m->lines[race->line];
    const struct many_variant *v = &m->variants[line->variant];
    const size_t count = many_sorted(m, line, sorted);
    char policies[160];
    many_policies(m, race, policies, sizeof policies);
    doc_row(d);
    doc_cell(d, "%s", v->axes.group);
    doc_cell(d, "%s", many_levels[line->level]);
    doc_cell(d, "`%s` %s %s %s, n=%zu", v->axes.algorithm, v->axes.isa, v->axes.cc, v->axes.policy,
             m->shapes[line->shape].n);
    doc_cell(d, "%zu", count);
    doc_number(d, (double)sorted[0]);
    doc_number(d, (double)sorted[count / 2]);
    doc_number(d, (double)sorted[count - 1]);
    doc_cell(d, "%s", policies);
    doc_row_end(d);
}

static void write_races(struct doc *d, const struct many *m)
{
    static const char *const heads[] = {
        "operation", "in",        "build",   "machines",
        "least ns",  "median ns", "most ns", "fastest policy, on how many",
        NULL};
    float *sorted = memory_zeroed(m->machine_count, sizeof *sorted);
    const char *op = "";
    doc_section(d, "kernels", "Kernels");
    doc_text(d,
             "Of each operation and level of memory the build with the least mean, of those that "
             "half of the machines ran: time of an element on one thread, over machines.");
    doc_table(d, heads);
    for (size_t i = 0; i < m->race_count; i++) { /* in order of their operations */
        const char *group = m->variants[m->lines[m->races[i].line].variant].axes.group;
        if (!strcmp(group, op)) continue;
        op = group;
        for (int level = 0; level < MANY_LEVELS; level++) {
            const struct many_race *race = best_race(m, op, level);
            if (race) write_race(d, m, race, sorted);
        }
    }
    doc_table_end(d);
    doc_section_end(d);
    free(sorted);
}

int many_write_text(const struct many *m, const char *path, struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    struct doc d = {.out = memory_text(&text, &size)};
    fprintf(d.out, "# %zu machines\n\n", m->machine_count);
    write_machines(&d, m);
    write_races(&d, m);
    memory_text_close(d.out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
