// SPDX-License-Identifier: MIT
#include "measure/plan_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Room for one more; the array unchanged and `failed` where memory is short. */
static void *grown(struct plan_builder *b, void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    size_t more = *room ? 2 * *room : 256;
    void *bigger = realloc(array, more * size);
    if (!bigger) {
        b->failed = true;
        return array;
    }
    *room = more;
    return bigger;
}

static bool same_task(const struct limit_task *a, const struct limit_task *b)
{
    return a->kind == b->kind && a->width == b->width && a->threads == b->threads &&
           a->bytes == b->bytes && a->ports == b->ports;
}

void plan_add_limit(struct plan_builder *b, struct limit_task task)
{
    struct bench_plan *p = b->plan;
    for (size_t i = 0; i < p->limit_count; i++)
        if (same_task(&p->limits[i], &task)) return;
    p->limits = grown(b, p->limits, p->limit_count, &b->limit_room, sizeof *p->limits);
    if (!b->failed) p->limits[p->limit_count++] = task;
}

void plan_add_cell(struct plan_builder *b, const struct variant *v, struct shape shape,
                   unsigned threads, const char *family)
{
    struct bench_plan *p = b->plan;
    p->cells = grown(b, p->cells, p->cell_count, &b->cell_room, sizeof *p->cells);
    if (b->failed || !shape.rows) return;
    struct cell *c = &p->cells[p->cell_count++];
    *c = (struct cell){.variant = v, .rows = shape.rows, .n = shape.n, .threads = threads};
    snprintf(c->family, sizeof c->family, "%s", family);
    if (!v->kernel) return;
    c->working_set = cell_working_set(v, shape.rows, shape.n);
    c->residency = residency(&b->setup->topology, &b->setup->effective, c->working_set, threads);
    if (v->status != STATUS_OK) return;
    struct port_load loads[PORT_SETS];
    size_t ports = cell_ports(c, b->setup, loads);
    for (size_t i = 0; i < ports; i++) plan_add_limit(b, loads[i].task);
    if (v->kernel->flops > 0 && variant_counts_hold(v))
        plan_add_limit(b, cell_compute_limit(c, b->setup));
    plan_add_limit(b, cell_memory_limit(c, b->setup));
}

bool plan_has_cell(const struct plan_builder *b, const struct variant *v, struct shape shape)
{
    for (size_t i = 0; i < b->plan->cell_count; i++) {
        const struct cell *c = &b->plan->cells[i];
        if (c->variant == v && c->rows == shape.rows && c->n == shape.n && c->threads == 1 &&
            !strcmp(c->family, "normal"))
            return true;
    }
    return false;
}

/* ---- Blocks and controls --------------------------------------------------------------------- */

static int plan_builder_by_block(const void *a, const void *b)
{
    const struct cell *const *x = a, *const *y = b;
    const struct cell *c = *x, *d = *y;
    int order = strcmp(c->variant->op, d->variant->op);
    if (!order) order = strcmp(c->variant->dtype, d->variant->dtype);
    if (!order) order = strcmp(c->family, d->family);
    if (!order) order = (c->rows > d->rows) - (c->rows < d->rows);
    if (!order) order = (c->n > d->n) - (c->n < d->n);
    if (!order) order = (c->threads > d->threads) - (c->threads < d->threads);
    return order ? order : (c > d) - (c < d);
}

/* Adds controls: in every block of two or more, every twelfth cell is timed twice, from one on that
 * the seed chooses. */
static void add_controls(struct plan_builder *b, struct cell *const *members, size_t count)
{
    enum { CELLS_PER_CONTROL = 12 };
    struct bench_plan *p = b->plan;
    uint64_t state = p->seed ^ random_mix(members[0]->block);
    size_t start = random_below(&state, count);
    for (size_t i = 0; i < count && count > 1; i += CELLS_PER_CONTROL) {
        struct cell copy = *members[(start + i) % count];
        copy.control = true;
        if (copy.variant->status == STATUS_OK) p->cells[p->cell_count + p->control_count++] = copy;
    }
}

/* The room that controls may take: one more for each cell. */
static void make_blocks(struct plan_builder *b)
{
    struct bench_plan *p = b->plan;
    size_t count = p->cell_count, first = 0;
    struct cell *room = realloc(p->cells, (2 * count + 1) * sizeof *room);
    struct cell **sorted = calloc(count + 1, sizeof *sorted);
    if (room) p->cells = room;
    b->failed = b->failed || !room || !sorted;
    for (size_t i = 0; i < count && !b->failed; i++) sorted[i] = &p->cells[i];
    if (!b->failed) qsort(sorted, count, sizeof(struct cell *), plan_builder_by_block);
    for (size_t i = 0, block = 0; i < count && !b->failed; i++) {
        sorted[i]->block = block;
        if (i + 1 < count && cell_same_block(sorted[i], sorted[i + 1])) continue;
        add_controls(b, sorted + first, i + 1 - first);
        first = i + 1;
        block++;
    }
    free(sorted);
}

int plan_finish(struct plan_builder *b, struct error *e)
{
    make_blocks(b);
    if (!b->failed) return 0;
    bench_plan_free(b->plan);
    return fail(e, EXIT_PARTIAL,
                "bench: out of memory: the plan; choose fewer cells with --filter");
}
