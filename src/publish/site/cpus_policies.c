#include "publish/site/cpus_policies.h"

#include <stdint.h>
#include <string.h>

/* The CPU's cell of a line, if it stands beside those of others; else NULL. */
static const struct cpu_cell *cell_of(const struct cpu_lines *l, size_t line, size_t cpu)
{
    if (line == SIZE_MAX || l->lines[line].compared < 2 || l->lines[line].cell[cpu] == SIZE_MAX)
        return NULL;
    const struct cpu_cell *c = &l->cells[l->lines[line].cell[cpu]];
    return c->beyond ? NULL : c;
}

static size_t fastest(const struct machines *m, const struct cpu_lines *l, size_t first, size_t end,
                      size_t cpu)
{
    size_t best = SIZE_MAX;
    for (size_t i = first; i < end; i++) {
        const struct cpu_cell *c = cell_of(l, i, cpu), *other = cell_of(l, best, cpu);
        if (c && timing_keeps_promises(&m->items[cpu].report.summaries, c->t) &&
            (!other || c->t->ns_per_element < other->t->ns_per_element))
            best = i;
    }
    return best;
}

/* Many policies give a kernel the same machine code: between those there is nothing to choose. */
static bool same_code(const struct machine *machine, const struct cpu_cell *a,
                      const struct cpu_cell *b)
{
    char x[VARIANT_ID_MAX], y[VARIANT_ID_MAX];
    variant_id(&a->t->axes, x);
    variant_id(&b->t->axes, y);
    return !strcmp(code_of(&machine->codes, x), code_of(&machine->codes, y));
}

/* How much longer the CPU takes under the other line's policy than under its own best one. */
static struct ratio gain(const struct machines *m, const struct cpu_lines *l, size_t own,
                         size_t other, size_t cpu)
{
    const struct cpu_cell *a = cell_of(l, own, cpu), *b = cell_of(l, other, cpu);
    if (!a || !b || own == other || a->t->rows != b->t->rows || same_code(&m->items[cpu], a, b))
        return (struct ratio){.value = 0};
    return pair_ratio(a->t, b->t);
}

/* Each of two CPUs against the other: does each prefer its own policy, and is that known? */
static bool prefer(struct ratio here, struct ratio there, bool *known)
{
    *known = here.low > 1 && there.low > 1;
    return here.value > 1 && there.value > 1;
}

static bool compare(const struct machines *m, const struct cpu_lines *l, struct cpu_policies *p)
{
    bool differ = false, known;
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < m->count; k++) {
            struct ratio here = gain(m, l, p->line[i], p->line[k], i);
            struct ratio there = gain(m, l, p->line[k], p->line[i], k);
            if (!prefer(here, there, &known)) continue;
            differ = true;
            if (known < p->known) continue; /* what is known goes first */
            if (known > p->known || here.value > p->gain[i].value) p->gain[i] = here;
            p->known |= known;
        }
    return differ;
}

void cpu_policies_find(const struct machines *m, const struct cpu_lines *l,
                       void (*found)(const struct cpu_policies *p, void *context), void *context)
{
    for (size_t i = 0, next; i < l->line_count; i = next) {
        struct cpu_policies p = {.line = {0}};
        for (next = i + 1; next < l->line_count; next++)
            if (!cpu_lines_of_one_build(l, &l->lines[i], &l->lines[next])) break;
        for (size_t cpu = 0; cpu < m->count; cpu++) p.line[cpu] = fastest(m, l, i, next, cpu);
        if (compare(m, l, &p)) found(&p, context);
    }
}
