// SPDX-License-Identifier: MIT
/* The precision of a run's cells while it is measured (measure/bench.h). */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/bench.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "model/record.h"

/* The value from which ratios are formed, by item and process. */
struct precision {
    const struct bench_plan *plan;
    double *low;                /* [items][RATIO_PROCESSES_MAX], NAN where there is none */
    size_t processes;           /* one more than the largest number seen */
    struct by_process *members; /* room for those of one block */
    double *widths;             /* room for half-widths of its cells or controls */
};

struct precision *precision_open(const struct bench_plan *p)
{
    const size_t cells = p->cell_count + p->control_count;
    struct precision *w = memory_new(sizeof *w);
    *w = (struct precision){.plan = p,
                            .low = memory_new((cells + 1) * RATIO_PROCESSES_MAX * sizeof *w->low),
                            .members = memory_zeroed(cells + 1, sizeof *w->members),
                            .widths = memory_zeroed(cells + 1, sizeof *w->widths)};
    for (size_t k = 0; k < cells * RATIO_PROCESSES_MAX; k++) w->low[k] = NAN;
    return w;
}

void precision_close(struct precision *w)
{
    free(w->low);
    free(w->members);
    free(w->widths);
    free(w);
}

void precision_note(struct precision *w, size_t item, size_t process, const json_t *record)
{
    const json_t *ns = json_object_get(record, "ns");
    const size_t count = json_array_size(ns);
    if (!count || process >= RATIO_PROCESSES_MAX) return;
    double *values = memory_new(count * sizeof *values);
    for (size_t i = 0; i < count; i++) values[i] = json_number_value(json_array_get(ns, i));
    stats_sort(values, count);
    w->low[item * RATIO_PROCESSES_MAX + process] = stats_quantile(values, count, RATIO_QUANTILE);
    if (process >= w->processes) w->processes = process + 1;
    free(values);
}

static struct by_process low_of(const struct precision *w, size_t item)
{
    return (struct by_process){w->low + item * RATIO_PROCESSES_MAX, w->processes};
}

/* Returns whether there is a time of any process: a cell that crashed has none, and more processes
 * would bring none. */
static bool has_times(struct by_process low)
{
    size_t i = 0;
    while (i < low.count && isnan(low.values[i])) i++;
    return i < low.count;
}

static double known_or_infinite(double half_width)
{
    return isnan(half_width) ? INFINITY : half_width;
}

/* Returns the half-width that every cell of the block reaches. */
static double half_width_of_cells(struct precision *w, size_t block)
{
    const struct bench_plan *p = w->plan;
    double widest = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->cell_count + p->control_count; i++)
        if (p->cells[i].block == block && has_times(low_of(w, i)))
            w->members[count++] = low_of(w, i);
    ratio_half_widths(w->members, count, w->widths);
    for (size_t i = 0; i < count; i++) widest = fmax(widest, known_or_infinite(w->widths[i]));
    return widest;
}

/* The cell that a control repeats. */
static size_t original_of(const struct bench_plan *p, const struct cell *control)
{
    size_t i = 0;
    while (p->cells[i].block != control->block || p->cells[i].variant != control->variant) i++;
    return i;
}

/* Returns the half-width that half of the block's controls reach. */
static double half_width_of_controls(struct precision *w, size_t block)
{
    const struct bench_plan *p = w->plan;
    size_t controls = 0;
    for (size_t i = p->cell_count; i < p->cell_count + p->control_count; i++) {
        if (p->cells[i].block != block || !has_times(low_of(w, i))) continue;
        struct by_process original = low_of(w, original_of(p, &p->cells[i]));
        w->widths[controls++] = known_or_infinite(ratio_half_width(low_of(w, i), original));
    }
    stats_sort(w->widths, controls);
    return controls ? w->widths[(controls - 1) / 2] : 0;
}

bool precision_judge(struct precision *w, const struct bench_goal *goal, bool *left_out)
{
    bool all = true;
    for (size_t block = 0; block < bench_blocks(w->plan); block++) {
        double width =
            goal->of_every_cell ? half_width_of_cells(w, block) : half_width_of_controls(w, block);
        bool hopeless = goal->hopeless > 0 && width > goal->hopeless && isfinite(width);
        left_out[block] = width <= goal->half_width || hopeless;
        all = all && left_out[block];
    }
    return all;
}
