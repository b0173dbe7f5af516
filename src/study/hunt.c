#include "study/hunt.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"

/* Of the STEPS batches of a round, four are one step of the guided search; the rest are local. */
enum { CHILDREN = 4, EXCHANGE_EVERY = 8 };
/* A box this much smaller than the whole has nothing left to halve. */
static const double narrowest = 0x1p-12;

struct island {
    uint64_t random;
    float *low, *high;                /* [n]: where the guided search stands */
    float *child;                     /* [CHILDREN][2][n]: halves of it */
    float *rows;                      /* [HUNT_BATCH][n] */
    float *best;                      /* [n] */
    double scores[HUNT_BATCH], score; /* of rows, of best */
};

struct hunt {
    const struct hunt_plan *plan;
    float *frozen; /* [HUNT_ISLANDS][n]: the islands' best rows before this round */
    struct island islands[HUNT_ISLANDS];
};

/* ---- Random choices: splitmix64 ---------------------------------------------------------------
 */

static uint64_t next(struct island *i)
{
    uint64_t z = i->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(struct island *i, size_t count)
{
    return (size_t)((next(i) >> 32) * (uint64_t)count >> 32);
}

static float within(float x, float low, float high)
{
    return !(x > low) ? low : x < high ? x : high;
}

static float between(struct island *i, float low, float high)
{
    double share = (double)(next(i) >> 11) * 0x1p-53;
    return within((float)((double)low + ((double)high - (double)low) * share), low, high);
}

/* ---- A batch ----------------------------------------------------------------------------------
 */

/* Scores what stands in rows; the best of it becomes the island's best where it is one. Equals
 * replace each other, so that a search can cross a plain. Returns the largest score. */
static double evaluate(const struct hunt *h, size_t at, struct island *i)
{
    size_t n = h->plan->n, top = 0;
    h->plan->score(h->plan->context, at, i->rows, i->scores);
    for (size_t k = 1; k < HUNT_BATCH; k++)
        if (i->scores[k] > i->scores[top]) top = k;
    if (i->scores[top] >= i->score) {
        i->score = i->scores[top];
        memcpy(i->best, i->rows + top * n, n * sizeof *i->best);
    }
    return i->scores[top];
}

static void fill_from(const struct hunt *h, struct island *i, const float *low, const float *high)
{
    size_t n = h->plan->n;
    for (size_t k = 0; k < HUNT_BATCH; k++)
        for (size_t j = 0; j < n; j++) i->rows[k * n + j] = between(i, low[j], high[j]);
}

/* ---- Guided: halve the box ---------------------------------------------------------------------
 */

static void whole_box(const struct hunt *h, struct island *i)
{
    for (size_t j = 0; j < h->plan->n; j++) {
        i->low[j] = h->plan->low;
        i->high[j] = h->plan->high;
    }
}

/* Two children that complement each other: a variable's lower half in one, its upper in the other.
 */
static void halve(const struct hunt *h, struct island *i, float *one, float *other)
{
    size_t n = h->plan->n;
    for (size_t j = 0; j < n; j++) {
        float low = i->low[j], high = i->high[j];
        float middle = within((float)(((double)low + (double)high) / 2), low, high);
        bool lower = next(i) >> 63;
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
        scores[c] = evaluate(h, at, i);
        if (scores[c] > scores[top]) top = c;
    }
    memcpy(i->low, i->child + top * 2 * n, n * sizeof *i->low);
    memcpy(i->high, i->child + top * 2 * n + n, n * sizeof *i->high);
    double width = (double)i->high[0] - (double)i->low[0];
    double whole = (double)h->plan->high - (double)h->plan->low;
    if (width <= narrowest * whole || below(i, 16) == 0) whole_box(h, i);
}

/* ---- Local: values and bits around the best ----------------------------------------------------
 */

static float flip(float x, unsigned bit)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= 1u << bit;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* NaNs and what is outside the box end at its edge. */
static float changed(const struct hunt *h, struct island *i, const float *row, float x)
{
    float low = h->plan->low, high = h->plan->high;
    switch (below(i, 6)) {
    case 0:
        return between(i, low, high);
    case 1:
        return within(row[below(i, h->plan->n)], low, high);
    case 2: /* a step of a random size, from the box to its last bits */
        return within(
            (float)((double)x + ldexp((double)between(i, -1, 1) * ((double)high - (double)low),
                                      -(int)below(i, 28))),
            low, high);
    case 3:
        return within(nextafterf(x, below(i, 2) ? high : low), low, high);
    default:
        return within(flip(x, (unsigned)below(i, 24)), low, high);
    }
}

/* All elements by the same step. */
static void shift(const struct hunt *h, struct island *i, float *row)
{
    double width = (double)h->plan->high - (double)h->plan->low;
    double step = ldexp((double)between(i, -1, 1) * width, -(int)below(i, 24));
    for (size_t j = 0; j < h->plan->n; j++)
        row[j] = within((float)((double)row[j] + step), h->plan->low, h->plan->high);
}

/* Equal values at equal distances, as a vector's lanes see them: sums round them all the same way.
 */
static void comb(const struct hunt *h, struct island *i, float *row)
{
    size_t n = h->plan->n, stride = (size_t)1 << below(i, 9), first = below(i, n);
    size_t count = 1 + below(i, n / stride + 1);
    float value = changed(h, i, row, row[first]);
    for (size_t j = first; j < n && count; j += stride, count--) row[j] = value;
}

/* Elements of another island's best: what helps in one place often helps beside it. */
static void cross(const struct hunt *h, struct island *i, float *row)
{
    size_t n = h->plan->n, first = below(i, n), count = 1 + below(i, n);
    const float *other = h->frozen + below(i, HUNT_ISLANDS) * n;
    for (size_t k = 0; k < count; k++) row[(first + k) % n] = other[(first + k) % n];
}

static void few(const struct hunt *h, struct island *i, float *row)
{
    size_t count = 1 + below(i, 1u << below(i, 4));
    for (size_t k = 0; k < count; k++) {
        size_t j = below(i, h->plan->n);
        row[j] = changed(h, i, row, row[j]);
    }
}

static void vary(const struct hunt *h, struct island *i, float *row)
{
    static void (*const ways[])(const struct hunt *, struct island *,
                                float *) = {few, few, few, few, comb, comb, cross, shift};
    memcpy(row, i->best, h->plan->n * sizeof *row);
    ways[below(i, sizeof ways / sizeof *ways)](h, i, row);
}

static void local_step(const struct hunt *h, size_t at, struct island *i)
{
    for (size_t k = 0; k < HUNT_BATCH; k++) vary(h, i, i->rows + k * h->plan->n);
    evaluate(h, at, i);
}

/* ---- Rounds ------------------------------------------------------------------------------------
 */

static void play(const struct hunt *h, size_t at, struct island *i)
{
    int steps = HUNT_STEPS;
    if (h->plan->guided) {
        guided_step(h, at, i);
        for (steps -= CHILDREN; steps > 0; steps--) local_step(h, at, i);
    }
    for (; steps > 0; steps--) {
        fill_from(h, i, i->low, i->high);
        evaluate(h, at, i);
    }
}

static size_t best_island(const struct hunt *h)
{
    size_t top = 0;
    for (size_t k = 1; k < HUNT_ISLANDS; k++)
        if (h->islands[k].score > h->islands[top].score) top = k;
    return top;
}

/* Every island sees what the others have; the four worst go on from where the best stands. */
static void exchange(struct hunt *h, bool replace)
{
    size_t n = h->plan->n;
    const struct island *top = &h->islands[best_island(h)];
    for (size_t times = 0; replace && times < HUNT_ISLANDS / 4; times++) {
        size_t worst = 0;
        for (size_t k = 1; k < HUNT_ISLANDS; k++)
            if (h->islands[k].score < h->islands[worst].score) worst = k;
        if (h->islands[worst].score >= top->score) break;
        h->islands[worst].score = top->score;
        memcpy(h->islands[worst].best, top->best, n * sizeof *top->best);
    }
    for (size_t k = 0; k < HUNT_ISLANDS; k++)
        memcpy(h->frozen + k * n, h->islands[k].best, n * sizeof *h->frozen);
}

/* Keeps every rise while there is room; then those that are 1/16 of the evaluations apart. */
static void remember(struct hunt_result *r, double score)
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

static bool is_done(const struct hunt_plan *p, const struct hunt_result *r, double begin)
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

static void go(struct hunt *h, struct hunt_result *r)
{
    const struct hunt_plan *p = h->plan;
    double begin = monotonic_s();
    int threads = p->threads ? p->threads : omp_get_num_procs();
    size_t rounds = 0;
    do {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t k = 0; k < HUNT_ISLANDS; k++) play(h, k, &h->islands[k]);
        r->evaluations += HUNT_ROUND;
        remember(r, h->islands[best_island(h)].score);
        if (p->guided) exchange(h, ++rounds % EXCHANGE_EVERY == 0);
        if (p->round) p->round(p->context, share_done(p, r, begin));
    } while (!is_done(p, r, begin));
    const struct island *top = &h->islands[best_island(h)];
    r->score = top->score;
    memcpy(r->best, top->best, p->n * sizeof *r->best);
    r->seconds = monotonic_s() - begin;
}

static bool open_island(struct island *i, size_t n, uint64_t seed, size_t at)
{
    *i = (struct island){.random = seed, .score = -INFINITY};
    for (size_t k = 0; k <= at; k++) i->random = next(i);
    i->low = malloc((2 + 2 * CHILDREN + HUNT_BATCH + 1) * n * sizeof *i->low);
    if (!i->low) return false;
    i->high = i->low + n;
    i->child = i->high + n;
    i->rows = i->child + CHILDREN * 2 * n;
    i->best = i->rows + HUNT_BATCH * n;
    return true;
}

int hunt_run(const struct hunt_plan *plan, struct hunt_result *result, struct error *e)
{
    struct hunt h = {.plan = plan};
    *result = (struct hunt_result){.best = malloc((plan->n + 1) * sizeof *result->best)};
    h.frozen = calloc(HUNT_ISLANDS * plan->n + 1, sizeof *h.frozen);
    bool room = result->best && h.frozen;
    for (size_t k = 0; k < HUNT_ISLANDS && room; k++) {
        room = open_island(&h.islands[k], plan->n, plan->seed, k);
        if (room) whole_box(&h, &h.islands[k]);
    }
    for (size_t j = 0; j < HUNT_ISLANDS * plan->n && room; j++) h.frozen[j] = plan->low;
    if (room) go(&h, result);
    for (size_t k = 0; k < HUNT_ISLANDS; k++) free(h.islands[k].low);
    free(h.frozen);
    if (room) return 0;
    free(result->best);
    return fail(e, EXIT_PARTIAL, "out of memory: search: rows of %zu; search shorter ones",
                plan->n);
}
