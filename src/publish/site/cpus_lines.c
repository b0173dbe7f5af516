#include "publish/site/cpus_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* By what a line has in common, the policy last. */
static int by_build(const struct timing_result *x, const struct timing_result *y)
{
    int c = strcmp(x->axes.group, y->axes.group);
    if (!c) c = strcmp(x->axes.algorithm, y->axes.algorithm);
    if (!c) c = strcmp(x->axes.dtype, y->axes.dtype);
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = strcmp(x->axes.cc, y->axes.cc);
    if (!c) c = (x->threads > y->threads) - (x->threads < y->threads);
    if (!c) c = strcmp(x->family, y->family);
    if (!c) c = (x->n > y->n) - (x->n < y->n);
    return c ? c : strcmp(x->residency, y->residency);
}

static int by_line(const struct timing_result *x, const struct timing_result *y)
{
    int c = by_build(x, y);
    return c ? c : strcmp(x->axes.policy, y->axes.policy);
}

static int by_cell(const void *a, const void *b)
{
    const struct cpu_cell *x = a, *y = b;
    int c = by_line(x->t, y->t);
    if (!c) c = (x->t->rows > y->t->rows) - (x->t->rows < y->t->rows);
    if (!c) c = (x->cpu > y->cpu) - (x->cpu < y->cpu);
    return c ? c : (x->t > y->t) - (x->t < y->t);
}

/* A cell that was measured again has two records: the later one counts. */
static void keep_last(struct cpu_lines *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->cell_count; i++) {
        const struct cpu_cell *c = &l->cells[i], *next = c + 1;
        bool again = i + 1 < l->cell_count && c->cpu == next->cpu && c->t->rows == next->t->rows &&
                     !by_line(c->t, next->t);
        if (!again) l->cells[kept++] = *c;
    }
    l->cell_count = kept;
}

static void collect(const struct machines *m, struct cpu_lines *l)
{
    for (size_t cpu = 0; cpu < m->count; cpu++) {
        const struct machine *machine = &m->items[cpu];
        for (size_t i = 0; i < machine_timings(machine); i++) {
            const struct timing_result *t = &machine->report.results.timings[i];
            if (t->ns_per_element > 0)
                l->cells[l->cell_count++] = (struct cpu_cell){t, cpu, machine->withheld[i], 0};
        }
    }
    qsort(l->cells, l->cell_count, sizeof *l->cells, by_cell);
    keep_last(l);
}

static struct cpu_line *new_line(struct cpu_lines *l)
{
    struct cpu_line *line = &l->lines[l->line_count++];
    for (size_t i = 0; i < MACHINES_MAX; i++) line->cell[i] = SIZE_MAX;
    return line;
}

static void take(struct cpu_lines *l, struct cpu_line *line, size_t cell)
{
    struct cpu_cell *c = &l->cells[cell];
    c->taken = true;
    line->cell[c->cpu] = cell;
    line->compared += !c->beyond;
}

/* The number of rows that most of the cells have which are not taken yet, the smallest of several;
 * 0 where all are taken. */
static size_t usual_rows(const struct cpu_lines *l, size_t first, size_t end)
{
    size_t best = 0, most = 0;
    for (size_t i = first, next; i < end; i = next) {
        size_t count = 0;
        for (next = i; next < end && l->cells[next].t->rows == l->cells[i].t->rows; next++)
            count += !l->cells[next].taken;
        if (count > most) best = l->cells[i].t->rows;
        most = count > most ? count : most;
    }
    return best;
}

/* Cells [first, end) differ in rows and CPU alone. */
static void part(struct cpu_lines *l, size_t first, size_t end)
{
    for (size_t rows; (rows = usual_rows(l, first, end));) {
        struct cpu_line *line = new_line(l);
        for (size_t i = first; i < end; i++)
            if (!l->cells[i].taken && l->cells[i].t->rows == rows) take(l, line, i);
        for (size_t i = first; i < end; i++)
            if (!l->cells[i].taken && line->cell[l->cells[i].cpu] == SIZE_MAX) take(l, line, i);
    }
}

int cpu_lines_make(const struct machines *m, struct cpu_lines *l, struct error *e)
{
    size_t most = 0;
    for (size_t i = 0; i < m->count; i++) most += machine_timings(&m->items[i]);
    *l = (struct cpu_lines){.cells = calloc(most + 1, sizeof *l->cells),
                            .lines = calloc(most + 1, sizeof *l->lines)};
    if (!l->cells || !l->lines) {
        cpu_lines_free(l);
        return fail(e, EXIT_PARTIAL, "report: out of memory: %zu cells; free some", most);
    }
    collect(m, l);
    for (size_t i = 0, next; i < l->cell_count; i = next) {
        for (next = i; next < l->cell_count && !by_line(l->cells[i].t, l->cells[next].t);) next++;
        part(l, i, next);
    }
    return 0;
}

void cpu_lines_free(struct cpu_lines *l)
{
    free(l->cells);
    free(l->lines);
    *l = (struct cpu_lines){.cells = NULL};
}

const struct timing_result *cpu_line_any(const struct cpu_lines *l, const struct cpu_line *line)
{
    size_t i = 0;
    while (line->cell[i] == SIZE_MAX) i++;
    return l->cells[line->cell[i]].t;
}

bool cpu_lines_of_one_build(const struct cpu_lines *l, const struct cpu_line *a,
                            const struct cpu_line *b)
{
    return !by_build(cpu_line_any(l, a), cpu_line_any(l, b));
}
