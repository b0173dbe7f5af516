// SPDX-License-Identifier: MIT
#include "measure/bench_plan.h"

#include <stdlib.h>

#include "base/random.h"

void bench_plan_free(struct bench_plan *p)
{
    free(p->cells);
    free(p->limits);
    *p = (struct bench_plan){0};
}

size_t bench_items(const struct bench_plan *p)
{
    return p->cell_count + p->control_count + p->limit_count;
}

size_t bench_blocks(const struct bench_plan *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->cell_count; i++)
        if (p->cells[i].block >= count) count = p->cells[i].block + 1;
    return count;
}

const struct cell *bench_cell(const struct bench_plan *p, size_t item)
{
    return item < p->cell_count + p->control_count ? &p->cells[item] : NULL;
}

/* The place of a block in the order, drawn from its number, so that all of its members have the
 * same place. */
struct slot {
    struct step step;
    uint64_t place;
};

static int bench_plan_by_place(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->step.item > y->step.item) - (x->step.item < y->step.item);
}

bool bench_order(const struct bench_plan *p, uint64_t process, struct step *steps)
{
    size_t total = bench_items(p);
    struct slot *slots = calloc(total + 1, sizeof *slots);
    if (!slots) return false;
    uint64_t draw = random_mix(p->seed * RANDOM_STEP ^ (process + 1) * 0xd1342543de82ef95u);
    for (size_t i = 0; i < total; i++) {
        const struct cell *c = bench_cell(p, i);
        /* A limit is a block of its own, with a number that no block of cells has. */
        size_t block = c ? c->block : total + i;
        slots[i] = (struct slot){{i, block}, random_mix(draw + block)};
    }
    qsort(slots, total, sizeof *slots, bench_plan_by_place);
    for (size_t i = 0; i < total; i++) steps[i] = slots[i].step;
    free(slots);
    return true;
}
