// SPDX-License-Identifier: MIT
#include "measure/worker_block.h"

#include <stdlib.h>

#include "base/random.h"

/* Untimed calls before a sample last this long; longer where the vector width changes, since a core
 * may need a while for wider vectors. A call of over a millisecond needs none. */
static const double settle_s = 20e-6, settle_width_s = 200e-6, settled_s = 1e-3;

struct member {
    const struct work_order *order;
    double call_s;
    size_t takes_part; /* in that many rounds */
    struct work_cell *cell;
};

size_t block_rounds(const struct work_header *work, double sample_s)
{
    const size_t least = 3;
    double patience = work->patience_s / sample_s;
    size_t fit = patience < (double)work->rounds ? (size_t)patience : work->rounds;
    return fit < least && least < work->rounds ? least : fit < least ? work->rounds : fit;
}

bool block_takes_part(size_t taken, size_t rounds, size_t round)
{
    return (round + 1) * taken / rounds > round * taken / rounds;
}

static struct visit_result visit_member(struct member *m, const struct block_hooks *hooks,
                                        const struct visit *visit)
{
    struct visit_result r = hooks->visit(hooks->context, m->order, visit);
    m->cell->moved += r.moved;
    m->cell->migrated += r.migrated;
    m->cell->mxcsr_changed |= r.mxcsr_changed;
    return r;
}

static void begin_member(struct member *m, const struct work_header *work,
                         const struct work_order *order, const struct block_hooks *hooks)
{
    m->order = order;
    m->cell = calloc(1, sizeof *m->cell);
    if (!m->cell) work_out_of_memory(sizeof *m->cell);
    m->cell->head = (struct work_message){WORK_CELL, order->item};
    struct visit_result r = visit_member(m, hooks, &(struct visit){0});
    m->cell->calls = r.calls;
    m->cell->hash = r.hash;
    m->cell->call_ns = r.call_ns;
    m->cell->empty_ns = r.empty_ns;
    m->call_s = r.ns * 1e-9;
    m->takes_part = block_rounds(work, m->call_s * (double)r.calls);
}

static void sample_member(struct member *m, size_t round, bool width_changes,
                          const struct block_hooks *hooks)
{
    double settle = width_changes ? settle_width_s : settle_s;
    struct visit visit = {.calls = m->cell->calls};
    if (m->call_s < settled_s) visit.settled_calls = (size_t)(settle / m->call_s) + 1;
    double at = hooks->seconds(hooks->context);
    struct visit_result r = visit_member(m, hooks, &visit);
    m->cell->values[m->cell->samples++] = (struct work_sample){r.ns, r.cycles, at, round};
}

/* ---- The order of a round -------------------------------------------------------------------- */

struct place {
    size_t member;
    enum width width;
    uint64_t of_width, own; /* drawn: the places of the widths, and of members in theirs */
};

static int worker_block_by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->of_width != y->of_width) return x->of_width < y->of_width ? -1 : 1;
    return (x->own > y->own) - (x->own < y->own);
}

/* Draws the order of a round, one width after the other, beginning with the width at which the
 * round before ended, because a change of width costs time. */
static size_t draw_round(const struct member *members, size_t count, size_t rounds, size_t round,
                         enum width last, uint64_t *state, struct place *places)
{
    uint64_t of_width[WIDTHS];
    size_t taking_part = 0;
    for (enum width w = 0; w < WIDTHS; w++) of_width[w] = w == last ? 0 : random_next(state) | 1u;
    for (size_t i = 0; i < count; i++) {
        enum width w = members[i].order->width;
        struct place place = {i, w, of_width[w], random_next(state)};
        if (block_takes_part(members[i].takes_part, rounds, round)) places[taking_part++] = place;
    }
    qsort(places, taking_part, sizeof *places, worker_block_by_place);
    return taking_part;
}

static void run_rounds(const struct work_header *work, struct member *members, size_t count,
                       struct place *places, const struct block_hooks *hooks)
{
    uint64_t state = random_mix(work->layout ^ random_mix(members[0].order->block));
    enum width last = members[count - 1].order->width;
    for (size_t round = 0; round < work->rounds; round++) {
        size_t taking_part = draw_round(members, count, work->rounds, round, last, &state, places);
        for (size_t i = 0; i < taking_part; i++) {
            sample_member(&members[places[i].member], round, places[i].width != last, hooks);
            last = places[i].width;
        }
    }
}

void block_measure(const struct work_header *work, const struct work_order *orders, size_t count,
                   const struct block_hooks *hooks)
{
    struct member *members = calloc(count, sizeof *members);
    struct place *places = calloc(count, sizeof *places);
    if (!members || !places) work_out_of_memory(count * (sizeof *members + sizeof *places));
    for (size_t i = 0; i < count; i++) begin_member(&members[i], work, &orders[i], hooks);
    run_rounds(work, members, count, places, hooks);
    for (size_t i = 0; i < count; i++) {
        hooks->put(hooks->context, members[i].cell);
        free(members[i].cell);
    }
    free(places);
    free(members);
}
