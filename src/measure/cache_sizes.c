// SPDX-License-Identifier: MIT
#include "measure/cache_sizes.h"

#include <math.h>

#include "measure/stats.h"

enum { SWEEP_UNIT = 2048 }; /* working sets are multiples of it */

static enum level last_level(const struct topology *t)
{
    enum level l = LEVEL_L3;
    while (l > LEVEL_L1 && !t->caches[l].bytes) l--;
    return l;
}

size_t sweep_sizes(const struct topology *t, size_t sizes[SWEEP_MAX])
{
    enum { PER_OCTAVE = 3 };
    const double step = exp2(1.0 / PER_OCTAVE), last = (double)t->caches[last_level(t)].bytes;
    double from = 0.25 * (double)t->caches[LEVEL_L1].bytes;
    double to = fmin(4.0 * last, 0.25 * (double)t->memory_bytes);
    size_t n = 0;
    if (from < SWEEP_UNIT) return 0;
    for (double s = from; s < 1.01 * to && n < SWEEP_MAX; s *= step) {
        /* A knee beyond the last level's nominal size changes nothing: of those only the largest is
         * read, as the rate of memory. */
        if (s > 1.01 * last && s * step < 1.01 * to) continue;
        size_t bytes = (size_t)(s / SWEEP_UNIT + 0.5) * SWEEP_UNIT;
        if (!n || bytes > sizes[n - 1]) sizes[n++] = bytes;
    }
    return n;
}

/* Median rate of the points within [low, high] bytes; NaN for none. */
static double plateau(const struct sweep_point *points, size_t count, double low, double high)
{
    double rates[SWEEP_MAX];
    size_t n = 0;
    for (size_t i = 0; i < count && n < SWEEP_MAX; i++)
        if ((double)points[i].bytes >= 0.99 * low && (double)points[i].bytes <= 1.01 * high)
            rates[n++] = points[i].rate;
    return stats_median(rates, n);
}

/* The rate of a level itself is seen from twice to four times the size of the level below, which
 * then serves few of the reads; that of L1 in its lower half. */
static double level_rate(const struct topology *t, enum level l, const struct sweep_point *points,
                         size_t count)
{
    enum level last = last_level(t);
    if (l == LEVEL_L1) return plateau(points, count, 0, 0.5 * (double)t->caches[l].bytes);
    if (l > last) return plateau(points, count, (double)points[count - 1].bytes, INFINITY);
    double below = (double)t->caches[l - 1].bytes;
    return plateau(points, count, 2 * below, fmin(4 * below, 0.75 * (double)t->caches[l].bytes));
}

struct effective effective_sizes(const struct topology *t, const struct sweep_point *points,
                                 size_t count)
{
    struct effective e = {{0}};
    for (enum level l = 0; l < LEVEL_DRAM; l++) {
        size_t nominal = e.bytes[l] = t->caches[l].bytes;
        if (!count || !nominal) continue;
        double here = level_rate(t, l, points, count), next = level_rate(t, l + 1, points, count);
        if (!(here > 1.25 * next)) continue; /* the levels are too alike for a knee to be seen */
        double threshold = sqrt(here * next);
        size_t knee = 0;
        for (size_t i = 0; i < count && points[i].rate >= threshold; i++) knee = points[i].bytes;
        if ((double)knee < 0.75 * (double)nominal && knee > (l ? 2 * e.bytes[l - 1] : 0))
            e.bytes[l] = knee;
    }
    return e;
}

/* Returns how many of `threads` cores share a cache of that level. */
static unsigned sharers(const struct topology *t, enum level l, unsigned threads)
{
    unsigned per_core = t->caches[LEVEL_L1].processors ? t->caches[LEVEL_L1].processors : 1;
    unsigned sharing = t->caches[l].processors / per_core;
    if (sharing > threads) sharing = threads;
    return sharing ? sharing : 1;
}

enum level residency(const struct topology *t, const struct effective *effective, size_t bytes,
                     unsigned threads)
{
    enum level l = LEVEL_L1;
    for (; l < LEVEL_DRAM; l++)
        if (effective->bytes[l] && bytes / threads * sharers(t, l, threads) < effective->bytes[l])
            break;
    return l;
}

struct caches caches_for(const struct topology *t, const struct effective *effective,
                         unsigned threads)
{
    size_t bytes[LEVEL_DRAM];
    for (enum level l = 0; l < LEVEL_DRAM; l++)
        bytes[l] = effective->bytes[l] / sharers(t, l, threads);
    return (struct caches){bytes[LEVEL_L1], bytes[LEVEL_L2], bytes[LEVEL_L3]};
}

struct caches caches_nominal(void)
{
    struct topology t;
    struct error ignored = {.text = ""};
    if (topology_read(&t, &ignored) != 0) return (struct caches){0};
    struct effective effective = effective_sizes(&t, NULL, 0);
    topology_close(&t);
    return caches_for(&t, &effective, 1);
}
