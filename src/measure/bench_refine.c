// SPDX-License-Identifier: MIT
/* Additional processes for cells that the planned ones do not resolve (measure/bench.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "measure/bench.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "measure/work.h"
#include "model/record.h"

/* ---- What has been measured ------------------------------------------------------------------ */

/* The value from which ratios are formed, by item and process, kept while records pass through. */
struct watch {
    const struct bench_plan *plan;
    struct record_sink sink;
    json_t *items;              /* {id family: item} */
    double *low;                /* [items][RATIO_PROCESSES_MAX], NAN where there is none */
    size_t processes;           /* one more than the largest number seen */
    struct by_process *members; /* room for those of one block */
    double *widths;             /* room for half-widths of its cells or controls */
};

static json_t *item_key(const char *id, const char *family)
{
    return json_sprintf("%s %s", id, family);
}

static size_t item_of(const struct watch *w, const json_t *record)
{
    json_t *key = item_key(record_text(record, "id"), record_text(record, "family"));
    const json_t *item = json_object_get(w->items, json_string_value(key));
    json_decref(key);
    return item ? (size_t)json_integer_value(item) : NO_ITEM;
}

static void watch_record(struct watch *w, const json_t *record)
{
    const json_t *ns = json_object_get(record, "ns");
    size_t count = json_array_size(ns), process = (size_t)record_number(record, "process");
    size_t item = count ? item_of(w, record) : NO_ITEM;
    double *values = memory_zeroed(count + 1, sizeof *values);
    if (item != NO_ITEM && process < RATIO_PROCESSES_MAX) {
        for (size_t i = 0; i < count; i++) values[i] = json_number_value(json_array_get(ns, i));
        stats_sort(values, count);
        w->low[item * RATIO_PROCESSES_MAX + process] =
            stats_quantile(values, count, RATIO_QUANTILE);
        if (process >= w->processes) w->processes = process + 1;
    }
    free(values);
}

static int pass_on(void *context, json_t *record, struct error *e)
{
    struct watch *w = context;
    watch_record(w, record);
    return w->sink.put(w->sink.context, record, e);
}

static void watch_close(struct watch *w)
{
    json_decref(w->items);
    free(w->low);
    free(w->members);
    free(w->widths);
}

static void watch_open(struct watch *w, const struct bench_plan *p, const json_t *done,
                       struct record_sink sink)
{
    size_t cells = p->cell_count + p->control_count, i;
    const json_t *record;
    *w = (struct watch){.plan = p,
                        .sink = sink,
                        .items = json_object(),
                        .low = memory_new((cells + 1) * RATIO_PROCESSES_MAX * sizeof *w->low),
                        .members = memory_zeroed(cells + 1, sizeof *w->members),
                        .widths = memory_zeroed(cells + 1, sizeof *w->widths)};
    for (size_t k = 0; k < cells * RATIO_PROCESSES_MAX; k++) w->low[k] = NAN;
    for (size_t item = 0; item < cells; item++) {
        char id[CELL_ID_MAX];
        cell_id(&p->cells[item], id);
        json_t *key = item_key(id, p->cells[item].family);
        json_object_set_new(w->items, json_string_value(key), json_integer((json_int_t)item));
        json_decref(key);
    }
    json_array_foreach(done, i, record) watch_record(w, record);
}

/* ---- What misses the goal -------------------------------------------------------------------- */

static struct by_process low_of(const struct watch *w, size_t item)
{
    return (struct by_process){w->low + item * RATIO_PROCESSES_MAX, w->processes};
}

static double known_or_infinite(double half_width)
{
    return isnan(half_width) ? INFINITY : half_width;
}

/* Returns the half-width that every cell of the block reaches. */
static double half_width_of_cells(struct watch *w, size_t block)
{
    const struct bench_plan *p = w->plan;
    double widest = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->cell_count + p->control_count; i++)
        if (p->cells[i].block == block && p->cells[i].variant->status == STATUS_OK)
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
static double half_width_of_controls(struct watch *w, size_t block)
{
    const struct bench_plan *p = w->plan;
    size_t controls = 0;
    for (size_t i = p->cell_count; i < p->cell_count + p->control_count; i++) {
        if (p->cells[i].block != block) continue;
        struct by_process original = low_of(w, original_of(p, &p->cells[i]));
        w->widths[controls++] = known_or_infinite(ratio_half_width(low_of(w, i), original));
    }
    stats_sort(w->widths, controls);
    return controls ? w->widths[(controls - 1) / 2] : 0;
}

/* Marks the blocks that reach the goal, or are too far from it, in left_out[]; true where all are.
 */
static bool bench_refine_judge(struct watch *w, const struct bench_goal *goal, bool *left_out)
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

static int run_more(struct watch *w, struct bench_plan *p, const struct bench_setup *s,
                    const json_t *done, const struct bench_goal *goal, double until,
                    struct progress *progress, struct error *e)
{
    size_t most = goal->processes < RATIO_PROCESSES_MAX ? goal->processes : RATIO_PROCESSES_MAX;
    bool *left_out = memory_zeroed(bench_blocks(p) + 1, sizeof *left_out);
    int code = 0;
    p->left_out = left_out;
    while (!code) {
        if (bench_refine_judge(w, goal, left_out) || p->processes >= most || monotonic_s() >= until)
            break;
        p->first_process = p->processes++;
        code = bench_run(p, s, done, (struct record_sink){pass_on, w}, progress, e);
    }
    p->left_out = NULL;
    p->first_process = 0;
    free(left_out);
    return code;
}

int bench_run_until(struct bench_plan *p, const struct bench_setup *s, const json_t *done,
                    const struct bench_goal *goal, struct record_sink sink,
                    struct progress *progress, struct error *e)
{
    struct watch w;
    double begin = monotonic_s();
    watch_open(&w, p, done, sink);
    int code = bench_run(p, s, done, (struct record_sink){pass_on, &w}, progress, e);
    double now = monotonic_s();
    double until = now + fmax(goal->more_s, goal->more_share * (now - begin));
    if (!code && goal->half_width > 0) code = run_more(&w, p, s, done, goal, until, progress, e);
    watch_close(&w);
    return code;
}
