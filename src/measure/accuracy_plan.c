// SPDX-License-Identifier: MIT
#include "measure/accuracy_plan.h"

#include <stdlib.h>

#include "measure/cache_sizes.h"
#include "measure/stage.h"

enum { GRID_VERSION = 5, GRID_ELEMENTS = 1 << 16 };

/* The grid's row lengths: no whole vector, less than one vector, whole vectors, a tail behind many,
 * the promises' limit, and a long sum; every tail; and for each family the two lengths at which a
 * run times most, of which fewer rows do. Any change of these tables, or of the number of rows that
 * they lead to, needs a new GRID_VERSION. */
static const size_t every_n[] = {1, 7, 64, 1000, 2048, 4096, 65536},
                    some_n[] = {64, 1000, 2048, 4096};
const size_t tail_lengths[TAIL_LENGTHS] = {16, 17, 18, 19, 20, 21, 22, 23,  24,
                                           25, 26, 27, 28, 29, 30, 31, 1001};
enum { EVERY_N = sizeof every_n / sizeof *every_n, SOME_N = sizeof some_n / sizeof *some_n };
enum { FEW_ROWS_FROM = 2048 };

size_t tail_rows(size_t n)
{
    return stage_rows(n < 1001 ? 1 << 12 : 1 << 14, n);
}

static size_t plan_usual_rows(size_t n)
{
    return stage_rows(GRID_ELEMENTS, n);
}

static size_t family_rows(size_t n)
{
    return stage_rows(n < FEW_ROWS_FROM ? GRID_ELEMENTS : GRID_ELEMENTS / 4, n);
}

/* Families are in the order of their enum; family normal has two lines. The error of a constant
 * row depends on that one number: it has more rows than others. */
static const struct {
    enum family family;
    const size_t *n;
    size_t n_count;
    size_t (*rows)(size_t n);
} grid[] = {
    {FAMILY_NORMAL, every_n, EVERY_N, plan_usual_rows},
    {FAMILY_NORMAL, tail_lengths, TAIL_LENGTHS, tail_rows},
    {FAMILY_UNIFORM, some_n, SOME_N, family_rows},
    {FAMILY_LOGITS, some_n, SOME_N, family_rows},
    {FAMILY_ATTENTION, some_n, SOME_N, family_rows},
    {FAMILY_OFFSET, some_n, SOME_N, family_rows},
    {FAMILY_ONEHOT, some_n, SOME_N, family_rows},
    {FAMILY_CONSTANT, some_n, SOME_N, plan_usual_rows},
    {FAMILY_ALTERNATING, some_n, SOME_N, family_rows},
    {FAMILY_TINY, some_n, SOME_N, family_rows},
    {FAMILY_WIDE, some_n, SOME_N, family_rows},
    {FAMILY_SORTED, some_n, SOME_N, family_rows},
    {FAMILY_MASKED, some_n, SOME_N, family_rows},
    {FAMILY_BELOW, some_n, SOME_N, family_rows},
    {FAMILY_OUTLIER, some_n, SOME_N, family_rows},
    {FAMILY_HUGE, some_n, SOME_N, family_rows},
    {FAMILY_SPECIAL, some_n, SOME_N, family_rows},
};
enum { GRID_LINES = sizeof grid / sizeof *grid };

struct accuracy_plan accuracy_plan_default(void)
{
    return (struct accuracy_plan){
        .seed = 1, .parameters = parameters_default, .caches = caches_nominal(), .silence_s = 20};
}

json_t *accuracy_grid_record(void)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < GRID_LINES; i++) {
        json_t *list = json_array(), *rows = json_array();
        for (size_t k = 0; k < grid[i].n_count; k++) {
            size_t n = grid[i].n[k];
            json_array_append_new(list, json_integer((json_int_t)n));
            json_array_append_new(rows, json_integer((json_int_t)grid[i].rows(n)));
        }
        json_array_append_new(cells,
                              json_pack("{s:s, s:o, s:o}", "family", family_name(grid[i].family),
                                        "n", list, "rows", rows));
    }
    return json_pack("{s:i, s:i, s:o}", "version", GRID_VERSION, "elements", GRID_ELEMENTS, "cells",
                     cells);
}

const char *input_block_family(const struct input_block *b)
{
    if (b->adversarial) return ADVERSARIAL;
    return b->family == FAMILY_COUNT ? INPUT_FAMILY : family_name(b->family);
}

static void add_block(struct input_blocks *b, enum family family, size_t n, size_t rows)
{
    b->items[b->count++] = (struct input_block){family, rows, n, NULL};
}

static void add_grid(struct input_blocks *b, const struct accuracy_plan *p)
{
    const size_t lines = p->first ? 1 : GRID_LINES;
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < grid[i].n_count; k++) {
            size_t n = grid[i].n[k];
            size_t rows = grid[i].rows(n), asked = stage_rows(p->elements, n);
            bool other = p->elements > GRID_ELEMENTS || (p->elements && asked < rows);
            add_block(b, grid[i].family, n, other ? asked : rows);
        }
}

/* Adds every chosen family at every chosen length, or those of the grid if none is chosen. */
static void add_chosen(struct input_blocks *b, const struct accuracy_plan *p)
{
    const size_t *n = p->n_count ? p->n : every_n;
    size_t n_count = p->n_count ? p->n_count : EVERY_N;
    size_t families = p->family_count ? p->family_count : FAMILY_COUNT;
    size_t elements = p->elements ? p->elements : GRID_ELEMENTS;
    for (size_t i = 0; i < families; i++)
        for (size_t k = 0; k < n_count; k++)
            add_block(b, p->family_count ? p->families[i] : (enum family)i, n[k],
                      stage_rows(elements, n[k]));
}

/* The adversarial blocks of the chosen lengths. */
static void add_adversarial(struct input_blocks *b, const struct accuracy_plan *p)
{
    for (size_t i = 0; i < p->adversarial->count; i++) {
        const struct adversarial_block *found = &p->adversarial->blocks[i];
        bool chosen = p->n_count == 0;
        for (size_t k = 0; k < p->n_count; k++) chosen = chosen || p->n[k] == found->n;
        if (!chosen) continue;
        b->items[b->count++] = (struct input_block){FAMILY_COUNT, found->rows, found->n, found};
    }
}

/* Returns an upper limit of the number of blocks, whatever the plan chooses. */
static size_t room_for(const struct accuracy_plan *p)
{
    size_t families = p->family_count > FAMILY_COUNT ? p->family_count : FAMILY_COUNT;
    size_t lengths = p->n_count > EVERY_N ? p->n_count : EVERY_N;
    return families * lengths + TAIL_LENGTHS + (p->adversarial ? p->adversarial->count : 0);
}

int input_blocks_of(const struct accuracy_plan *p, struct input_blocks *b, struct error *e)
{
    int code = stage_check_lengths(p->n, p->n_count, e);
    if (code) return code;
    *b = (struct input_blocks){.items = calloc(room_for(p), sizeof *b->items)};
    if (!b->items) return fail(e, EXIT_PARTIAL, "out of memory: the grid; choose fewer cells");
    if (p->input) {
        b->items[b->count++] = (struct input_block){FAMILY_COUNT, p->input_rows, p->input_n, NULL};
        return 0;
    }
    bool made = !p->adversarial_alone, chosen = p->n_count || p->family_count;
    if (made) b->grid = GRID_VERSION;
    if (made && chosen) add_chosen(b, p);
    if (made && !chosen) add_grid(b, p);
    if (p->adversarial) add_adversarial(b, p);
    return 0;
}
