// SPDX-License-Identifier: MIT
#include "study/hunt.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "study/hunt_parts.h"

static size_t best_island(const struct hunt *h)
{
    size_t top = 0;
    for (size_t k = 1; k < HUNT_ISLANDS; k++)
        if (h->islands[k].score > h->islands[top].score) top = k;
    return top;
}

/* Keeps every rise while there is room; then those that are 1/16 of the evaluations apart. */
static void add_to_history(struct hunt_result *r, double score)
{
    struct hunt_point point = {r->evaluations, score};
    if (r->points && score <= r->history[r->points - 1].score) return;
    if (r->points == HUNT_POINTS - 1) {
        size_t kept = 1;
        for (size_t k = 1; k < r->points; k++)
            if (r->history[k].evaluations * 16 > r->history[kept - 1].evaluations * 17)
                r->history[kept++] = r->history[k];
        r->points = kept < r->points ? kept : r->points - 1;
    }
    r->history[r->points++] = point;
}

static bool hunt_is_done(const struct hunt_plan *p, const struct hunt_result *r, double begin)
{
    if (p->evaluations) return r->evaluations >= p->evaluations;
    return monotonic_s() - begin >= p->seconds;
}

static double share_done(const struct hunt_plan *p, const struct hunt_result *r, double begin)
{
    double share = p->evaluations ? (double)r->evaluations / (double)p->evaluations
                                  : (monotonic_s() - begin) / p->seconds;
    return share < 1 ? share : 1;
}

static void play_all_rounds(struct hunt *h, struct hunt_result *r)
{
    const struct hunt_plan *p = h->plan;
    double begin = monotonic_s();
    int threads = p->threads ? p->threads : omp_get_num_procs();
    do {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t k = 0; k < HUNT_ISLANDS; k++) island_play_round(h, k, &h->islands[k]);
        r->evaluations += HUNT_ROUND;
        add_to_history(r, h->islands[best_island(h)].score);
        h->rounds++;
        if (p->guided) hunt_regroup(h);
        if (p->round) p->round(p->context, share_done(p, r, begin));
    } while (!hunt_is_done(p, r, begin));
    const struct island *top = &h->islands[best_island(h)];
    r->score = top->score;
    memcpy(r->best, top->best, p->n * sizeof *r->best);
    r->seconds = monotonic_s() - begin;
}

static bool open_islands(struct hunt *h)
{
    const struct hunt_plan *p = h->plan;
    bool room = true;
    for (size_t k = 0; k < HUNT_ISLANDS && room; k++) {
        room = island_open(&h->islands[k], p, k);
        h->group[k] = 1;
    }
    h->frozen = malloc((2 * HUNT_ISLANDS + 1) * p->n * sizeof *h->frozen);
    if (!room || !h->frozen) return false;
    h->base = h->frozen + HUNT_ISLANDS * p->n;
    h->row = h->base + HUNT_ISLANDS * p->n;
    for (size_t j = 0; j < HUNT_ISLANDS * p->n; j++) h->frozen[j] = p->low;
    return true;
}

int hunt_run(const struct hunt_plan *plan, struct hunt_result *result, struct error *e)
{
    struct hunt h = {.plan = plan};
    *result = (struct hunt_result){.best = malloc((plan->n + 1) * sizeof *result->best)};
    bool room = result->best && open_islands(&h);
    if (room) play_all_rounds(&h, result);
    for (size_t k = 0; k < HUNT_ISLANDS; k++) island_close(&h.islands[k]);
    free(h.frozen);
    if (room) return 0;
    free(result->best);
    return fail(e, EXIT_PARTIAL, "out of memory: search: rows of %zu; search shorter ones",
                plan->n);
}
