// SPDX-License-Identifier: MIT
#include "measure/modes.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/stats.h"
#include "model/record.h"

/* The size of a gap that stands out, as a multiple of the mean spacing of the values on its other
 * side: of six normal values every 25th set has such a gap by chance. */
static const double spacings = 10;

/* Returns the largest gap next to the values [first, end) across which a value still belongs to
 * them. */
static double reach(const double *v, size_t first, size_t end)
{
    double spacing = end - first > 1 ? (v[end - 1] - v[first]) / (double)(end - first - 1) : 0;
    return fmax(log(MODES_APART), spacings * spacing);
}

static bool halves_are_apart(const double *v, size_t count)
{
    size_t half = count / 2;
    double gap = count >= 4 && count % 2 == 0 ? v[half] - v[half - 1] : 0;
    return gap > reach(v, 0, half) && gap > reach(v, half, count);
}

static struct majority narrowest(const double *v, size_t count)
{
    size_t half = count / 2 + 1, first = 0;
    for (size_t i = 1; i + half <= count; i++)
        if (v[i + half - 1] - v[i] < v[first + half - 1] - v[first]) first = i;
    return (struct majority){first, first + half};
}

struct majority modes_majority(const double *v, size_t count)
{
    if (count < 3) return (struct majority){0, count};
    if (halves_are_apart(v, count)) return (struct majority){0, 0};
    struct majority m = narrowest(v, count);
    for (;;) {
        double below = m.first ? v[m.first] - v[m.first - 1] : INFINITY;
        double above = m.end < count ? v[m.end] - v[m.end - 1] : INFINITY;
        if (!(fmin(below, above) <= reach(v, m.first, m.end))) return m;
        if (below <= above)
            m.first--;
        else
            m.end++;
    }
}

static void add_mode(struct modes *m, const double *ascending, size_t first, size_t end)
{
    if (first < end)
        m->items[m->count++] = (struct mode){
            .time = stats_quantile(ascending + first, end - first, 0.5), .processes = end - first};
}

struct modes modes_of(const double *times, size_t count)
{
    struct modes m = {.low = NAN, .high = NAN};
    double *v = memory_zeroed(2 * count + 1, sizeof *v), *logs = v + count;
    for (size_t i = 0; i < count; i++) v[i] = times[i];
    stats_sort(v, count);
    for (size_t i = 0; i < count; i++) logs[i] = log(v[i]);
    struct majority usual = modes_majority(logs, count);
    m.tied = usual.first == usual.end && count;
    if (m.tied) usual.end = count / 2;
    add_mode(&m, v, 0, usual.first);
    m.usual = m.count;
    add_mode(&m, v, usual.first, usual.end);
    add_mode(&m, v, usual.end, count);
    if (count) {
        m.low = v[usual.first];
        m.high = v[usual.end - 1];
    }
    free(v);
    return m;
}

bool modes_unsteady(double time, const double *low, size_t count)
{
    double *known = memory_zeroed(count + 1, sizeof *known);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (low[i] > 0) known[n++] = low[i];
    struct modes m = modes_of(known, n);
    free(known);
    return n && time > MODES_STEADY * m.items[m.usual].time;
}

json_t *modes_record(const struct modes *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:I}", "ns_per_row", record_real(m->items[i].time),
                                        "processes", (json_int_t)m->items[i].processes));
    return list;
}
