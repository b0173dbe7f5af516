#include "measure/bench_plan.h"

#include <stdlib.h>

#include "base/random.h"

void bench_plan_free(struct bench_plan *p)
{
    free(p->cells);
    free(p->limits);
    *p = (struct bench_plan){0};
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Items of one class share a vector width and a number of threads. */
static unsigned class_of(const struct bench_plan *p, size_t item)
{
    if (item >= p->cell_count) {
        const struct limit_task *l = &p->limits[item - p->cell_count];
        return l->threads * WIDTHS + l->width;
    }
    const struct cell *c = &p->cells[item];
    return c->threads * WIDTHS + width_of_isa(c->variant->isa);
}

/* Two draws decide where an item goes: its block's, then its own. */
struct slot {
    size_t item;
    unsigned class;
    uint64_t block, own;
};

static int by_class(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->own > y->own) - (x->own < y->own);
}

static int by_block(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->own > y->own) - (x->own < y->own);
}

bool bench_order(const struct bench_plan *p, uint64_t process, struct step *steps)
{
    enum { BLOCK = 16 };
    size_t total = p->cell_count + p->limit_count;
    struct slot *slots = calloc(total + 1, sizeof *slots);
    if (!slots) return false;
    uint64_t state = p->seed * RANDOM_STEP ^ (process + 1) * 0xd1342543de82ef95u;
    for (size_t i = 0; i < total; i++)
        slots[i] = (struct slot){.item = i, .class = class_of(p, i), .own = random_next(&state)};
    qsort(slots, total, sizeof *slots, by_class);
    for (size_t i = 0, length = 0; i < total; i++) {
        bool fresh = !i || slots[i].class != slots[i - 1].class || length == BLOCK;
        length = fresh ? 1 : length + 1;
        slots[i].block = fresh ? random_next(&state) : slots[i - 1].block;
    }
    qsort(slots, total, sizeof *slots, by_block);
    for (size_t i = 0; i < total; i++)
        steps[i] = (struct step){.item = slots[i].item,
                                 .pause = i && slots[i].class != slots[i - 1].class};
    free(slots);
    return true;
}
