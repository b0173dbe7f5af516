// SPDX-License-Identifier: MIT
/* A plan under construction: cells are added one by one, each with the limits that apply to it, and
 * each limit once. For the files bench_plan*.c and bench_field.c alone. */
#ifndef ULPLAB_PLAN_BUILDER_H
#define ULPLAB_PLAN_BUILDER_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/bench_plan.h"
#include "measure/shapes.h"

struct plan_builder {
    struct bench_plan *plan;
    const struct bench_setup *setup;
    size_t cell_room, limit_room;
    bool failed; /* memory was short */
};

void plan_add_limit(struct plan_builder *b, struct limit_task task);
/* Adds a cell; nothing where the shape has no rows. A variant that cannot run here gets its cell
 * too: its row says why. */
void plan_add_cell(struct plan_builder *b, const struct variant *v, struct shape shape,
                   unsigned threads, const char *family);
/* Returns whether the plan has that cell, on one thread and on family normal. */
bool plan_has_cell(const struct plan_builder *b, const struct variant *v, struct shape shape);
/* Groups the cells into blocks and adds their controls. 0, or EXIT_PARTIAL where memory was short;
 * the plan is then empty. */
int plan_finish(struct plan_builder *b, struct error *e);

#endif
