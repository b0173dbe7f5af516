// SPDX-License-Identifier: MIT
#include "publish/history/history.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/evidence.h"
#include "measure/stats.h"
#include "publish/archive/archive.h"
#include "publish/db/names.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

/* ---- Change points -------------------------------------------------------------------------- */

enum { LEAST = 3 }; /* points of a level */

/* Largest p of the ranks. Runs that a neighbour disturbed come in clusters, which few ranks expose.
 */
static const double rank_p = 0.002, weak_rank_p = 0.05; /* at last, and in the first pass */

/* Next to an odd run this p must be smaller, since an apparent outlier may be a second level
 * between which the series alternates. */
static const double odd_rank_p = 8e-4;

/* The p is small because each series offers a split at every run, and there are thousands of
 * series; docs/history.md says what it costs and what it saves. least_shift: of the logarithm. */
static const double largest_p = 2e-5, least_shift = 0.02;

/* The share of a run's own standard error that counts. The processes of a run differ in their
 * memory layouts, which the next run draws anew: their median repeats far better than their
 * interval says, and the whole of it would hide most changes. */
static const double own_share = 0.2;

/* In the first pass a split may be weaker by this factor: it can become stronger once a later split
 * has removed another change from its neighbours. */
static const double weaker = 100;

/* ---- Odd runs -------------------------------------------------------------------------------- */

/* A run is odd if it is farther from its level than noise goes: `odd` standard deviations. Its
 * level is the median of the five runs that it is in the middle of. Three runs are the most of
 * five, so that a level, which has three, is not odd. */
enum { AROUND = 5, SIDE = 3 };
static const double odd = 5;

/* One of so many runs may be odd, and two always. More that clearly are, so many times as far, are
 * a second level that the series takes by turns: they stay as they are. */
static const double odd_share = 12, clearly = 1.5;

/* Standard deviations in the median distance from such medians, for normal noise; noise is never
 * taken for less than this, of the logarithm. */
static const double of_distance = 2, least_noise = 0.002;

/* Fewer runs than these do not show the noise; there a smaller rise, as a logarithm, is none. */
static const double few_reach = 0.1;

/* The median of `width` runs of which the first is `from`, or as near to it as the series goes. */
static double median_from(const struct point *p, size_t count, size_t from, size_t width)
{
    double values[AROUND];
    if (from + width > count) from = count - width;
    for (size_t k = 0; k < width; k++) values[k] = p[from + k].value;
    return stats_median(values, width);
}

/* The distance of the run from the level around it, or, next to a step or an odd run, from the
 * level of the runs before or after it. */
static double change_points_distance_of(const struct point *p, size_t count, size_t i,
                                        double around)
{
    double far = fabs(p[i].value - around);
    if (i >= SIDE) far = fmin(far, fabs(p[i].value - median_from(p, count, i - SIDE, SIDE)));
    if (i + SIDE < count) far = fmin(far, fabs(p[i].value - median_from(p, count, i + 1, SIDE)));
    return far;
}

/* Takes odd runs to where noise ends; returns how far from a level noise goes, 0 where too few runs
 * say so. */
static double tame(struct point *p, size_t count)
{
    for (size_t i = 0; i < count; i++) p[i].raw = p[i].value;
    if (count < AROUND) return 0;
    double *around = memory_new(2 * count * sizeof *around), *far = around + count;
    for (size_t i = 0; i < count; i++) {
        around[i] = median_from(p, count, i > AROUND / 2 ? i - AROUND / 2 : 0, AROUND);
        far[i] = fabs(p[i].value - around[i]);
    }
    const double reach = odd * fmax(of_distance * stats_median(far, count), least_noise);
    size_t odds = 0;
    for (size_t i = 0; i < count; i++) {
        far[i] = change_points_distance_of(p, count, i, around[i]);
        odds += far[i] > clearly * reach;
    }
    const bool few = (double)odds <= fmax(2, (double)count / odd_share);
    for (size_t i = 0; few && i < count; i++)
        if (far[i] > reach)
            p[i].value = fmin(fmax(p[i].value, around[i] - reach), around[i] + reach);
    free(around);
    return reach;
}

/* ---- Two neighbouring levels ----------------------------------------------------------------- */

struct level {
    double mean, squares, error2; /* the squares of deviations, summed; the points' own, averaged */
};

static struct level change_points_level_of(const struct point *p, size_t count)
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

static bool has_odd(const struct point *p, size_t count)
{
    size_t i = 0;
    while (i < count && p[i].raw == p[i].value) i++;
    return i < count;
}

/* Returns whether the ranks differ, too: a far point moves a mean and a variance, but few ranks. */
static bool ranks_differ(const struct point *a, size_t m, const struct point *b, size_t n,
                         double most)
{
    if (n < m) return ranks_differ(b, n, a, m, most); /* fewer ranks have fewer sums */
    double *values = memory_new((m + n) * sizeof *values);
    for (size_t i = 0; i < m; i++) values[i] = a[i].raw;
    for (size_t i = 0; i < n; i++) values[m + i] = b[i].raw;
    if (has_odd(a, m) || has_odd(b, n)) most = fmin(most, odd_rank_p);
    double p = compare_p((struct sample){values, m}, (struct sample){values + m, n});
    free(values);
    return p <= fmax(most, 1.001 * compare_least_p(m, n));
}

/* Tests series[from, at) against series[at, to). The variance is that between runs, and not less
 * than a share of what the runs' own intervals say. A p above `most` is not worth the ranks, which
 * take long. */
static struct change_point test_split(const struct point *series, size_t from, size_t at, size_t to,
                                      double most, double ranks)
{
    const double m = (double)(at - from), n = (double)(to - at), freedom = m + n - 2;
    struct level a = change_points_level_of(series + from, at - from),
                 b = change_points_level_of(series + at, to - at);
    struct change_point c = {.at = at, .shift = b.mean - a.mean};
    double own = own_share * own_share * (m * a.error2 + n * b.error2) / (m + n);
    double variance = fmax((a.squares + b.squares) / freedom, own);
    double error = sqrt(variance * (1 / m + 1 / n));
    c.p = error > 0 ? student_p(c.shift / error, freedom) : c.shift != 0 ? 0 : 1;
    if (c.p > most) return c;
    double reach = student_t(0.05, freedom) * error;
    c.low = c.shift - reach;
    c.high = c.shift + reach;
    if (!ranks_differ(series + from, at - from, series + at, to - at, ranks)) c.p = 1;
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
    struct change_point *found;
    size_t count, room;
};

static void change_points_split(struct search *s, size_t from, size_t to)
{
    if (to - from < 2 * LEAST || s->count == s->room) return;
    size_t at = best_split(s->series, from, to);
    const double most = weaker * largest_p;
    if (at == to || test_split(s->series, from, at, to, most, weak_rank_p).p > most) return;
    change_points_split(s, from, at);
    if (s->count < s->room) s->found[s->count++].at = at; /* in order: the left part is done */
    change_points_split(s, at, to);
}

/* Removes the weakest split until all hold against their neighbours. */
static size_t keep_strong(const struct point *series, size_t count, struct change_point *found,
                          size_t splits)
{
    for (;;) {
        size_t weakest = splits;
        double worst = -1;
        for (size_t i = 0; i < splits; i++) {
            size_t from = i ? found[i - 1].at : 0, to = i + 1 < splits ? found[i + 1].at : count;
            found[i] = test_split(series, from, found[i].at, to, 1, rank_p);
            bool is_small = fabs(found[i].shift) < least_shift;
            /* Changes that are too small go before those that are too uncertain. */
            double badness = is_small ? 2 : found[i].p;
            if ((!is_small && found[i].p <= largest_p) || badness <= worst) continue;
            worst = badness;
            weakest = i;
        }
        if (weakest == splits) return splits;
        for (size_t i = weakest; i + 1 < splits; i++) found[i] = found[i + 1];
        splits--;
    }
}

static size_t find_in_tame(const struct point *series, size_t count, struct change_point *found,
                           size_t room)
{
    struct search s = {series, found, 0, room};
    change_points_split(&s, 0, count);
    return keep_strong(series, count, found, s.count);
}

size_t change_points_find(const struct point *series, size_t count, struct change_point *found,
                          size_t room)
{
    struct point *copy = memory_new((count + 1) * sizeof *copy);
    memcpy(copy, series, count * sizeof *copy);
    tame(copy, count);
    const size_t splits = find_in_tame(copy, count, found, room);
    free(copy);
    return splits;
}

/* ---- As an aggregate of SQL ------------------------------------------------------------------ */

/* change_points(run, ns, low, high): an aggregate over the runs of a cell, which are
 * numbered by time: {changes, rise}, as JSON. changes[]: run, before, ratio, low, high, p, old,
 * new; lasts: the logarithm of how much slower the new level is, and still is today. rise, where
 * there is one: run, before, ratio, runs, old, new: the newest runs are slower than the level
 * before them, and too few to say so. */

struct series {
    struct point *items;
    size_t count, room;
};

static void add_point(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct series *s = sqlite3_aggregate_context(c, sizeof *s);
    const double low = sqlite3_value_double(values[2]), high = sqlite3_value_double(values[3]);
    /* Half of a 95% interval is 1.96 standard errors. */
    const double error = low > 0 && high >= low ? log(high / low) / (2 * 1.96) : 0;
    (void)count;
    if (!s) return;
    if (s->count == s->room)
        s->items = memory_grow(s->items, (s->room = 2 * s->room + 8) * sizeof *s->items);
    const double ns = sqlite3_value_double(values[1]);
    s->items[s->count++] = (struct point){
        .value = log(ns), .error = error, .ns = ns, .run = sqlite3_value_int64(values[0])};
}

static int by_run(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return (x->run > y->run) - (x->run < y->run);
}

static void write_changes(FILE *out, const struct series *s, const struct change_point *found,
                          size_t count)
{
    const size_t last = count ? found[count - 1].at : 0;
    const double today = change_points_level_of(s->items + last, s->count - last).mean;
    for (size_t i = 0; i < count; i++) {
        const struct change_point *f = &found[i];
        const struct point *at = &s->items[f->at];
        const size_t from = i ? f[-1].at : 0;
        const double left = today - change_points_level_of(s->items + from, f->at - from).mean;
        fprintf(out,
                "%s{\"run\":%lld,\"before\":%lld,\"ratio\":%#.17g,\"low\":%#.17g,"
                "\"high\":%#.17g,\"p\":%#.17g,\"old\":%#.17g,\"new\":%#.17g,\"lasts\":%#.17g}",
                i ? "," : "", (long long)at->run, (long long)at[-1].run, exp(f->shift), exp(f->low),
                exp(f->high), f->p, at[-1].ns, at->ns, fmin(f->shift, left));
    }
}

/* Returns the median of the untamed values. */
static double raw_median(const struct point *p, size_t count)
{
    double *values = memory_new(count * sizeof *values);
    for (size_t i = 0; i < count; i++) values[i] = p[i].raw;
    const double median = stats_median(values, count);
    free(values);
    return median;
}

/* Writes the newest runs that all lie above the previous level by more than noise, but are too few
 * to be a new level. */
static void write_rise(FILE *out, const struct point *level, size_t count, double reach)
{
    const double least = fmax(reach, count < AROUND ? few_reach : least_shift);
    size_t k = count > 4 ? count / 2 : count > 2 ? 2 : count - 1;
    for (; k > 0; k--) {
        const double before = raw_median(level, count - k);
        double lowest = INFINITY;
        for (size_t i = count - k; i < count; i++) lowest = fmin(lowest, level[i].raw);
        if (lowest - before <= least) continue;
        const struct point *at = &level[count - k];
        fprintf(out,
                ",\"rise\":{\"run\":%lld,\"before\":%lld,\"ratio\":%#.17g,\"runs\":%zu,"
                "\"old\":%#.17g,\"new\":%#.17g}",
                (long long)at->run, (long long)at[-1].run, exp(raw_median(at, k) - before), k,
                at[-1].ns, at->ns);
        return;
    }
}

static void give_changes(sqlite3_context *c)
{
    struct change_point found[64];
    struct series *s = sqlite3_aggregate_context(c, sizeof *s);
    if (!s || !s->count) return;
    char *text = NULL;
    size_t size = 0;
    qsort(s->items, s->count, sizeof *s->items, by_run);
    const double reach = tame(s->items, s->count);
    const size_t count = find_in_tame(s->items, s->count, found, sizeof found / sizeof *found);
    const size_t last = count ? found[count - 1].at : 0;
    FILE *out = memory_text(&text, &size);
    fputs("{\"changes\":[", out);
    write_changes(out, s, found, count);
    fputs("]", out);
    write_rise(out, s->items + last, s->count - last, reach);
    fputs("}", out);
    memory_text_close(out);
    sqlite3_result_text(c, text, (int)size, free);
    free(s->items);
}

/* ---- The tables ------------------------------------------------------------------------------ */

int history_make(const struct lab_db *l, const struct history_request *q, struct error *e)
{
    sqlite3_create_function(l->db, "change_points", 4, SQLITE_UTF8, NULL, NULL, add_point,
                            give_changes);
    int code = lab_run(l, e,
                       "CREATE TEMP TABLE history_asked(path TEXT, machine TEXT, last INTEGER, "
                       "since TEXT, threshold REAL, gates TEXT); "
                       "INSERT INTO history_asked VALUES(?, ?, ?, ?, ?, ?)",
                       "ttitdt", l->path, q->machine ? q->machine : "", (int64_t)q->last, q->since,
                       q->threshold, q->gates);
    if (!code) code = archive_choose(l, q->selector, e);
    if (!code) code = db_renames(l, q->maps, q->map_count, e);
    return code ? code : narrow_run(l, sql_history, q->filters, q->filter_count, e);
}
