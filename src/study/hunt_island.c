// SPDX-License-Identifier: MIT
/* One island of a hunt: guided and local search from one row to better ones. */
#include "study/hunt_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Every GUIDED_EVERY-th round of an island is one step of the guided search, CHILDREN batches; the
 * other rounds are local. */
enum { CHILDREN = 4, GUIDED_EVERY = 4 };
/* The size, relative to the whole, below which a box is not halved. */
static const double narrowest = 0x1p-12;

/* ---- A batch --------------------------------------------------------------------------------- */

/* Scores the batch in `rows`, and returns the index of its best row. */
static size_t evaluate(const struct hunt *h, size_t at, struct island *i)
{
    size_t n = h->plan->n, top = 0;
    h->plan->score(h->plan->context, at, i->rows, i->scores);
    for (size_t k = 1; k < HUNT_BATCH; k++)
        if (i->scores[k] > i->scores[top]) top = k;
    if (i->scores[top] >= i->score) {
        i->score = i->scores[top];
        memcpy(i->best, i->rows + top * n, n * sizeof *i->best);
    }
    return top;
}

void island_move_to(struct island *i, size_t n, const float *row, double score)
{
    memcpy(i->current, row, n * sizeof *row);
    i->current_score = score;
}

static void fill_from(const struct hunt *h, struct island *i, const float *low, const float *high)
{
    size_t n = h->plan->n;
    for (size_t k = 0; k < HUNT_BATCH; k++)
        for (size_t j = 0; j < n; j++)
            i->rows[k * n + j] = float_between(&i->vary.random, low[j], high[j]);
}

/* ---- Guided: halve the box ------------------------------------------------------------------- */

static void set_whole_box(const struct hunt_plan *p, struct island *i)
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
    size_t n = h->plan->n;
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
    size_t n = h->plan->n, top = 0;
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
    double whole = (double)h->plan->high - (double)h->plan->low;
    if (width <= narrowest * whole || random_below(&i->vary.random, 16) == 0)
        set_whole_box(h->plan, i);
}

/* ---- Local: values and bits around where an island stands ------------------------------------ */

void row_take_changes(size_t n, float *into, const float *from, const float *row)
{
    for (size_t j = 0; j < n; j++)
        if (memcmp(&row[j], &from[j], sizeof *row) != 0) into[j] = row[j];
}

/* Puts into one row what several rows of the batch gained apart: errors of a sum add up. */
static void hunt_island_gather(const struct hunt *h, struct island *i)
{
    size_t n = h->plan->n;
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
    size_t n = h->plan->n;
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
    size_t n = h->plan->n, first = i->gathers > 1;
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
    size_t n = h->plan->n;
    for (size_t k = 0; k < HUNT_BATCH; k++) variation_seed(&i->vary, at, i->rows + k * n);
    size_t top = evaluate(h, at, i);
    island_move_to(i, n, i->rows + top * n, i->scores[top]);
    i->gathers = 0;
    i->fresh = false;
    set_whole_box(h->plan, i);
}

static void play_random(const struct hunt *h, size_t at, struct island *i)
{
    for (int steps = 0; steps < HUNT_STEPS; steps++) {
        fill_from(h, i, i->low, i->high);
        evaluate(h, at, i);
    }
}

void island_play_round(const struct hunt *h, size_t at, struct island *i)
{
    int steps = 0;
    if (!h->plan->guided) {
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

bool island_open(struct island *i, const struct hunt_plan *p, size_t at)
{
    uint64_t seed = p->seed;
    size_t n = p->n;
    *i = (struct island){.score = -INFINITY, .current_score = -INFINITY, .fresh = true};
    for (size_t k = 0; k <= at; k++) random_next(&seed);
    i->low = malloc((2 + 2 * CHILDREN + HUNT_BATCH + 3) * n * sizeof *i->low);
    if (!variation_open(&i->vary, seed, n, p->low, p->high) || !i->low) return false;
    i->high = i->low + n;
    i->child = i->high + n;
    i->rows = i->child + CHILDREN * 2 * n;
    i->best = i->rows + HUNT_BATCH * n;
    i->current = i->best + n;
    i->gathered = i->current + n;
    set_whole_box(p, i);
    return true;
}

void island_close(struct island *i)
{
    free(i->low);
    variation_close(&i->vary);
}
