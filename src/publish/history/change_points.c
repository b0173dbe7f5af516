// SPDX-License-Identifier: MIT
#include "publish/history/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "measure/student.h"
#include "measure/ranks.h"

enum { LEAST = 3 }; /* points of a level */

/* Largest p of the ranks. Runs that a neighbour disturbed come in clusters, which few ranks expose.
 */
static const double rank_p = 0.002, weak_rank_p = 0.05; /* at last, and in the first pass */

/* The p is small because each series offers a split at every run, and there are thousands of
 * series; docs/history.md says what it costs and what it saves. */
const struct change_rules change_rules_usual = {.p = 2e-5, .magnitude = 0.02};

/* The share of a run's own standard error that counts. The processes of a run differ in their
 * memory layouts, which the next run draws anew: their median repeats far better than their
 * interval says, and the whole of it would hide most changes. */
static const double own_share = 0.2;

/* In the first pass a split may be this much weaker: it can become strong once a later split has
 * taken another change out of its neighbours. */
static const double weaker = 100;

/* ---- Two neighbouring levels ----------------------------------------------------------------- */

struct level {
    double mean, squares, error2; /* the squares of deviations, summed; the points' own, averaged */
};

static struct level level_of(const struct point *p, size_t count)
{
    struct level l = {0};
    for (size_t i = 0; i < count; i++) l.mean += p[i].value / (double)count;
    for (size_t i = 0; i < count; i++) {
        double far = p[i].value - l.mean;
        l.squares += far * far;
        l.error2 += p[i].error * p[i].error / (double)count;
    }
    return l;
}

/* Returns whether the ranks differ, too: one far point moves a mean and a variance, but few ranks.
 */
static bool ranks_differ(const struct point *a, size_t m, const struct point *b, size_t n,
                         double largest_p)
{
    double *values = malloc((m + n) * sizeof *values);
    if (!values) return false;
    for (size_t i = 0; i < m; i++) values[i] = a[i].value;
    for (size_t i = 0; i < n; i++) values[m + i] = b[i].value;
    double p = compare_p((struct sample){values, m}, (struct sample){values + m, n});
    free(values);
    return p <= fmax(largest_p, 1.001 * compare_least_p(m, n));
}

/* Tests series[from, at) against series[at, to). The variance is that between runs, and not less
 * than a share of what the runs' own intervals say. */
static struct change_point test_split(const struct point *series, size_t from, size_t at, size_t to,
                                      double ranks)
{
    const double m = (double)(at - from), n = (double)(to - at), freedom = m + n - 2;
    struct level a = level_of(series + from, at - from), b = level_of(series + at, to - at);
    struct change_point c = {.at = at, .shift = b.mean - a.mean, .p = 1};
    double own = own_share * own_share * (m * a.error2 + n * b.error2) / (m + n);
    double variance = fmax((a.squares + b.squares) / freedom, own);
    double error = sqrt(variance * (1 / m + 1 / n));
    double reach = student_t(0.05, freedom) * error;
    c.low = c.shift - reach;
    c.high = c.shift + reach;
    if (!ranks_differ(series + from, at - from, series + at, to - at, ranks)) return c;
    c.p = error > 0 ? student_p(c.shift / error, freedom) : c.shift != 0 ? 0 : 1;
    return c;
}

/* ---- Splitting ------------------------------------------------------------------------------- */

/* Sum of |x[i] - point| over [from, to). */
static double distances(const struct point *x, size_t from, size_t to, double point)
{
    double sum = 0;
    for (size_t i = from; i < to; i++) sum += fabs(x[i].value - point);
    return sum;
}

/* The split of [from, to) with the largest energy statistic; `to` where the segment is too short.
 * One point at a time goes from the right part to the left one, and takes its distances along. */
static size_t best_split(const struct point *x, size_t from, size_t to)
{
    double left = 0, right = 0, across = 0, best = -1;
    size_t at = to;
    for (size_t i = from; i < to; i++) right += distances(x, i + 1, to, x[i].value);
    for (size_t k = from; k + LEAST < to; k++) {
        double before = distances(x, from, k, x[k].value);
        double after = distances(x, k + 1, to, x[k].value);
        left += before;
        right -= after;
        across += after - before;
        const double m = (double)(k + 1 - from), n = (double)(to - k - 1);
        if (m < LEAST) continue;
        double energy = 2 * across / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1));
        double q = m * n / (m + n) * energy;
        if (q <= best) continue;
        best = q;
        at = k + 1;
    }
    return at;
}

struct search {
    const struct point *series;
    double p;
    size_t *splits, count, room;
};

static void split(struct search *s, size_t from, size_t to)
{
    if (to - from < 2 * LEAST || s->count == s->room) return;
    size_t at = best_split(s->series, from, to);
    if (at == to || test_split(s->series, from, at, to, weak_rank_p).p > s->p) return;
    split(s, from, at);
    if (s->count < s->room) s->splits[s->count++] = at; /* in order: the left part is done */
    split(s, at, to);
}

/* Removes the weakest split until all hold against their neighbours. */
static size_t keep_strong(const struct search *s, size_t count, const struct change_rules *rules,
                          struct change_point *found, size_t splits)
{
    for (;;) {
        size_t weakest = splits;
        double worst = -1;
        for (size_t i = 0; i < splits; i++) {
            size_t from = i ? found[i - 1].at : 0, to = i + 1 < splits ? found[i + 1].at : count;
            found[i] = test_split(s->series, from, found[i].at, to, rank_p);
            bool holds = found[i].p <= rules->p && fabs(found[i].shift) >= rules->magnitude;
            /* Changes that are too small go before those that are too uncertain. */
            double badness = fabs(found[i].shift) < rules->magnitude ? 2 : found[i].p;
            if (holds || badness <= worst) continue;
            worst = badness;
            weakest = i;
        }
        if (weakest == splits) return splits;
        for (size_t i = weakest; i + 1 < splits; i++) found[i] = found[i + 1];
        splits--;
    }
}

size_t change_points_find(const struct point *series, size_t count,
                          const struct change_rules *rules, struct change_point *found, size_t room)
{
    struct search s = {.series = series,
                       .p = fmin(rules->p * weaker, 0.05),
                       .splits = calloc(room + 1, sizeof *s.splits),
                       .room = room};
    if (!s.splits) return 0;
    split(&s, 0, count);
    for (size_t i = 0; i < s.count; i++) found[i] = (struct change_point){.at = s.splits[i]};
    free(s.splits);
    return keep_strong(&s, count, rules, found, s.count);
}
