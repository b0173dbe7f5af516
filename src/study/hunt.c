// SPDX-License-Identifier: MIT
#include "study/hunt.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "study/variation.h"

/* A hunt's state: islands, each a separate search from one row to better ones, and the groups in
 * which they share their gains. */
struct island {
    struct variation vary;
    float *low, *high; /* [n]: the box of the guided search */
    float *child;      /* [children][2][n]: halves of it, low and high */
    float *rows;       /* [HUNT_BATCH][n]: a batch, with its scores */
    double scores[HUNT_BATCH];
    float *best; /* [n]: the best row so far, with its score */
    double score;
    float *current; /* [n]: the row that is varied, with its score */
    double current_score;
    float *gathered; /* [n]: a row to try first: the gains of `gathers` rows, together */
    size_t gathers;
    bool fresh; /* restarts in the next round */
};

struct hunt {
    const struct hunt_request *request;
    size_t rounds;
    float *frozen; /* [HUNT_ISLANDS][n]: the islands' best rows before this round */
    /* For a group's first island: the group's size, and its row and score before this round. */
    size_t group[HUNT_ISLANDS];
    float *base; /* [HUNT_ISLANDS][n] */
    double base_score[HUNT_ISLANDS];
    float *row; /* [n]: room for a row on its way from one island to others */
    struct island islands[HUNT_ISLANDS];
};

/* ---- One island ------------------------------------------------------------------------------ */

/* One island of a hunt: guided and local search from one row to better ones. */

/* Every GUIDED_EVERY-th round of an island is one step of the guided search, CHILDREN batches; the
 * other rounds are local. */
enum { CHILDREN = 4, GUIDED_EVERY = 4 };
/* The size, relative to the whole, below which a box is not halved. */
static const double narrowest = 0x1p-12;

/* ---- A batch --------------------------------------------------------------------------------- */

/* Scores the batch in `rows`, and returns the index of its best row. */
static size_t evaluate(const struct hunt *h, size_t at, struct island *i)
{
    size_t n = h->request->n, top = 0;
    h->request->score(h->request->context, at, i->rows, i->scores);
    for (size_t k = 1; k < HUNT_BATCH; k++)
        if (i->scores[k] > i->scores[top]) top = k;
    if (i->scores[top] >= i->score) {
        i->score = i->scores[top];
        memcpy(i->best, i->rows + top * n, n * sizeof *i->best);
    }
    return top;
}

static void island_move_to(struct island *i, size_t n, const float *row, double score)
{
    memcpy(i->current, row, n * sizeof *row);
    i->current_score = score;
}

static void fill_from(const struct hunt *h, struct island *i, const float *low, const float *high)
{
    size_t n = h->request->n;
    for (size_t k = 0; k < HUNT_BATCH; k++)
        for (size_t j = 0; j < n; j++)
            i->rows[k * n + j] = float_between(&i->vary.random, low[j], high[j]);
}

/* ---- Guided: halve the box ------------------------------------------------------------------- */

static void set_whole_box(const struct hunt_request *p, struct island *i)
{
    for (size_t j = 0; j < p->n; j++) {
        i->low[j] = p->low;
        i->high[j] = p->high;
    }
}

/* Makes two children of the box that complement each other: of each element, one child has the
 * lower half of its interval, the other the upper. */
static void halve(const struct hunt *h, struct island *i, float *one, float *other)
{
    size_t n = h->request->n;
    for (size_t j = 0; j < n; j++) {
        float low = i->low[j], high = i->high[j];
        float middle = (float)(((double)low + (double)high) / 2);
        bool lower = random_next(&i->vary.random) >> 63;
        float *under = lower ? one : other, *over = lower ? other : one;
        under[j] = low, under[n + j] = middle;
        over[j] = middle, over[n + j] = high;
    }
}

static void guided_step(const struct hunt *h, size_t at, struct island *i)
{
    size_t n = h->request->n, top = 0;
    double scores[CHILDREN];
    for (size_t c = 0; c < CHILDREN; c += 2)
        halve(h, i, i->child + c * 2 * n, i->child + (c + 1) * 2 * n);
    for (size_t c = 0; c < CHILDREN; c++) {
        const float *child = i->child + c * 2 * n;
        fill_from(h, i, child, child + n);
        size_t best = evaluate(h, at, i);
        scores[c] = i->scores[best];
        if (scores[c] > i->current_score) {
            island_move_to(i, n, i->rows + best * n, scores[c]);
            i->gathers = 0;
        }
        if (scores[c] > scores[top]) top = c;
    }
    memcpy(i->low, i->child + top * 2 * n, n * sizeof *i->low);
    memcpy(i->high, i->child + top * 2 * n + n, n * sizeof *i->high);
    double width = (double)i->high[0] - (double)i->low[0];
    double whole = (double)h->request->high - (double)h->request->low;
    if (width <= narrowest * whole || random_below(&i->vary.random, 16) == 0)
        set_whole_box(h->request, i);
}

/* ---- Local: values and bits around an island's row ------------------------------------------- */

static void row_take_changes(size_t n, float *into, const float *from, const float *row)
{
    for (size_t j = 0; j < n; j++)
        if (memcmp(&row[j], &from[j], sizeof *row) != 0) into[j] = row[j];
}

/* Puts into one row what several rows of the batch gained apart: errors of a sum add up. */
static void hunt_island_gather(const struct hunt *h, struct island *i)
{
    size_t n = h->request->n;
    memcpy(i->gathered, i->current, n * sizeof *i->gathered);
    i->gathers = 0;
    for (size_t k = 0; k < HUNT_BATCH; k++) {
        if (!(i->scores[k] > i->current_score)) continue;
        row_take_changes(n, i->gathered, i->current, i->rows + k * n);
        i->gathers++;
    }
}

static struct variation_move vary(const struct hunt *h, struct island *i, float *row)
{
    size_t n = h->request->n;
    const float *other = h->frozen + random_below(&i->vary.random, HUNT_ISLANDS) * n;
    struct variation_move w;
    int tries = 0;
    memcpy(row, i->current, n * sizeof *row);
    do w = variation_apply(&i->vary, row, other);
    while (memcmp(row, i->current, n * sizeof *row) == 0 && ++tries < 4);
    return w;
}

static void local_step(const struct hunt *h, size_t at, struct island *i)
{
    size_t n = h->request->n, first = i->gathers > 1;
    struct variation_move moves[HUNT_BATCH];
    if (first) memcpy(i->rows, i->gathered, n * sizeof *i->rows);
    for (size_t k = first; k < HUNT_BATCH; k++) moves[k] = vary(h, i, i->rows + k * n);
    size_t top = evaluate(h, at, i);
    double most = i->scores[top] - i->current_score;
    for (size_t k = first; k < HUNT_BATCH; k++) {
        double gain = i->scores[k] - i->current_score;
        variation_credit(&i->vary, moves[k], gain > 0 ? gain / most : 0);
    }
    hunt_island_gather(h, i);
    if (i->scores[top] >= i->current_score) island_move_to(i, n, i->rows + top * n, i->scores[top]);
}

/* ---- A round --------------------------------------------------------------------------------- */

static void begin_anew(const struct hunt *h, size_t at, struct island *i)
{
    size_t n = h->request->n;
    for (size_t k = 0; k < HUNT_BATCH; k++) variation_seed(&i->vary, at, i->rows + k * n);
    size_t top = evaluate(h, at, i);
    island_move_to(i, n, i->rows + top * n, i->scores[top]);
    i->gathers = 0;
    i->fresh = false;
    set_whole_box(h->request, i);
}

static void play_random(const struct hunt *h, size_t at, struct island *i)
{
    for (int steps = 0; steps < HUNT_STEPS; steps++) {
        fill_from(h, i, i->low, i->high);
        evaluate(h, at, i);
    }
}

static void island_play_round(const struct hunt *h, size_t at, struct island *i)
{
    int steps = 0;
    if (!h->request->guided) {
        play_random(h, at, i);
        return;
    }
    if (i->fresh) {
        begin_anew(h, at, i);
        steps++;
    } else if ((at + h->rounds) % GUIDED_EVERY == 0) {
        guided_step(h, at, i);
        steps += CHILDREN;
    }
    for (; steps < HUNT_STEPS; steps++) local_step(h, at, i);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void island_open(struct island *i, const struct hunt_request *p, size_t at)
{
    uint64_t seed = p->seed;
    size_t n = p->n;
    *i = (struct island){.score = -INFINITY, .current_score = -INFINITY, .fresh = true};
    for (size_t k = 0; k <= at; k++) random_next(&seed);
    i->low = memory_new((2 + 2 * CHILDREN + HUNT_BATCH + 3) * n * sizeof *i->low);
    variation_open(&i->vary, seed, n, p->low, p->high);
    i->high = i->low + n;
    i->child = i->high + n;
    i->rows = i->child + CHILDREN * 2 * n;
    i->best = i->rows + HUNT_BATCH * n;
    i->current = i->best + n;
    i->gathered = i->current + n;
    set_whole_box(p, i);
}

static void island_close(struct island *i)
{
    free(i->low);
    variation_close(&i->vary);
}

/* ---- Groups of islands ----------------------------------------------------------------------- */

/* The groups of islands. An island alone finds a row of its own; islands together get farther from
 * one row. So they begin alone. At stated rounds the smallest groups join in pairs and go on from
 * the better row of the two, until all work on the best row found. After CYCLE rounds half of them
 * begin anew, and so on. */

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
    size_t n = h->request->n, top = group_best(h, first, size);
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
    size_t n = h->request->n, top = group_best(h, first, size);
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
    size_t n = h->request->n, size = smallest_group(h);
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

static void hunt_regroup(struct hunt *h)
{
    static const size_t joins[] = {10, 20, 32, 48};
    for (size_t k = 0; k < HUNT_ISLANDS; k += h->group[k]) share_gains(h, k, h->group[k]);
    for (size_t k = 0; k < sizeof joins / sizeof *joins; k++)
        if (h->rounds % CYCLE == joins[k]) join_groups(h);
    if (h->rounds % CYCLE == 0) split_groups(h);
    for (size_t k = 0; k < HUNT_ISLANDS; k += h->group[k]) remember_base(h, k, h->group[k]);
    for (size_t k = 0; k < HUNT_ISLANDS; k++)
        memcpy(h->frozen + k * h->request->n, h->islands[k].best,
               h->request->n * sizeof *h->frozen);
}

/* ---- The hunt -------------------------------------------------------------------------------- */

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

static bool hunt_is_done(const struct hunt_request *p, const struct hunt_result *r, double begin)
{
    if (p->evaluations) return r->evaluations >= p->evaluations;
    return monotonic_s() - begin >= p->seconds;
}

static double share_done(const struct hunt_request *p, const struct hunt_result *r, double begin)
{
    double share = p->evaluations ? (double)r->evaluations / (double)p->evaluations
                                  : (monotonic_s() - begin) / p->seconds;
    return share < 1 ? share : 1;
}

static void play_all_rounds(struct hunt *h, struct hunt_result *r)
{
    const struct hunt_request *p = h->request;
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

static void open_islands(struct hunt *h)
{
    const struct hunt_request *p = h->request;
    for (size_t k = 0; k < HUNT_ISLANDS; k++) {
        island_open(&h->islands[k], p, k);
        h->group[k] = 1;
    }
    h->frozen = memory_new((2 * HUNT_ISLANDS + 1) * p->n * sizeof *h->frozen);
    h->base = h->frozen + HUNT_ISLANDS * p->n;
    h->row = h->base + HUNT_ISLANDS * p->n;
    for (size_t j = 0; j < HUNT_ISLANDS * p->n; j++) h->frozen[j] = p->low;
}

void hunt_run(const struct hunt_request *request, struct hunt_result *result)
{
    struct hunt h = {.request = request};
    *result = (struct hunt_result){.best = memory_new((request->n + 1) * sizeof *result->best)};
    open_islands(&h);
    play_all_rounds(&h, result);
    for (size_t k = 0; k < HUNT_ISLANDS; k++) island_close(&h.islands[k]);
    free(h.frozen);
}
