// SPDX-License-Identifier: MIT
/* The groups of islands. An island alone finds a row of its own; islands together get farther from
 * one row. So they begin alone. At stated rounds the smallest groups join in pairs and go on from
 * the better row of the two, until all work on the best row found. After CYCLE rounds half of them
 * begin anew, and so on. */
#include <string.h>

#include "base/random.h"
#include "study/hunt_parts.h"

enum { CYCLE = 128 };

static size_t group_best(const struct hunt *h, size_t first, size_t size)
{
    size_t top = first;
    for (size_t k = first; k < first + size; k++)
        if (h->islands[k].current_score > h->islands[top].current_score) top = k;
    return top;
}

/* Lets all islands of a group continue from its best row. Each also gets a row to try first, which
 * has the changes of all islands that gained (the first island) or of some (the others). */
static void share_gains(struct hunt *h, size_t first, size_t size)
{
    size_t n = h->plan->n, top = group_best(h, first, size);
    double score = h->islands[top].current_score;
    const float *base = h->base + first * n;
    if (size == 1 || !(score > h->base_score[first])) return;
    memcpy(h->row, h->islands[top].current, n * sizeof *h->row);
    for (size_t k = first; k < first + size; k++) {
        struct island *i = &h->islands[k];
        memcpy(i->gathered, base, n * sizeof *i->gathered);
        i->gathers = 0;
        for (size_t m = first; m < first + size; m++) {
            const struct island *from = &h->islands[m];
            if (m == top || !(from->current_score > h->base_score[first])) continue;
            if (k != first && random_below(&i->vary.random, 2)) continue;
            row_take_changes(n, i->gathered, base, from->current);
            i->gathers++;
        }
        row_take_changes(n, i->gathered, base, h->row);
        i->gathers++;
    }
    for (size_t k = first; k < first + size; k++) island_move_to(&h->islands[k], n, h->row, score);
}

static void remember_base(struct hunt *h, size_t first, size_t size)
{
    size_t n = h->plan->n, top = group_best(h, first, size);
    memcpy(h->base + first * n, h->islands[top].current, n * sizeof *h->base);
    h->base_score[first] = h->islands[top].current_score;
}

static size_t smallest_group(const struct hunt *h)
{
    size_t least = HUNT_ISLANDS;
    for (size_t k = 0; k < HUNT_ISLANDS; k += h->group[k])
        if (h->group[k] < least) least = h->group[k];
    return least;
}

/* Joins neighbouring groups of the smallest size, each pair going on from the better row of the
 * two. */
static void join_groups(struct hunt *h)
{
    size_t n = h->plan->n, size = smallest_group(h);
    for (size_t k = 0; k + size < HUNT_ISLANDS; k += h->group[k]) {
        if (h->group[k] != size || h->group[k + size] != size) continue;
        h->group[k] = 2 * size;
        const struct island *top = &h->islands[group_best(h, k, 2 * size)];
        memcpy(h->row, top->current, n * sizeof *h->row);
        double score = top->current_score;
        for (size_t m = k; m < k + 2 * size; m++) {
            if (h->islands[m].current_score < score) h->islands[m].gathers = 0;
            island_move_to(&h->islands[m], n, h->row, score);
        }
    }
}

/* Splits the groups: half of the islands stay together, the others begin anew and alone. */
static void split_groups(struct hunt *h)
{
    h->group[0] = HUNT_ISLANDS / 2;
    for (size_t k = HUNT_ISLANDS / 2; k < HUNT_ISLANDS; k++) {
        h->group[k] = 1;
        h->islands[k].fresh = true;
    }
}

void hunt_regroup(struct hunt *h)
{
    static const size_t joins[] = {10, 20, 32, 48};
    for (size_t k = 0; k < HUNT_ISLANDS; k += h->group[k]) share_gains(h, k, h->group[k]);
    for (size_t k = 0; k < sizeof joins / sizeof *joins; k++)
        if (h->rounds % CYCLE == joins[k]) join_groups(h);
    if (h->rounds % CYCLE == 0) split_groups(h);
    for (size_t k = 0; k < HUNT_ISLANDS; k += h->group[k]) remember_base(h, k, h->group[k]);
    for (size_t k = 0; k < HUNT_ISLANDS; k++)
        memcpy(h->frozen + k * h->plan->n, h->islands[k].best, h->plan->n * sizeof *h->frozen);
}
