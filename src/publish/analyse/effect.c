#include "publish/analyse/effect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/stats.h"
#include "publish/analyse/pairs.h"

/* A row and all of its place but the axis in question: rows with equal keys differ in it alone. */
struct keyed {
    char key[256];
    bool is_from;
    const void *row;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct keyed *)a)->key, ((const struct keyed *)b)->key);
}

/* Is a row on one of the two sides? Cheap: it is asked of every row of a run. */
static bool is_on_a_side(const struct axes *a, const struct effect_of *of)
{
    if (of->op ? strcmp(a->group, of->op) : strcmp(a->dtype, "f32")) return false;
    if (of->cc && strcmp(a->cc, of->cc) != 0) return false;
    const char *value = axes_value(a, of->axis);
    if (strcmp(value, of->from) != 0 && strcmp(value, of->to) != 0) return false;
    return !of->takes || of->takes(of->context, a);
}

/* `cell` is what else has to agree. */
static void key_row(struct keyed *k, const struct axes *a, const char *cell, const void *row,
                    const struct effect_of *of)
{
    struct axes other = *a;
    k->is_from = !strcmp(axes_value(a, of->axis), of->from);
    axes_set(&other, of->axis, "");
    snprintf(k->key, sizeof k->key, "%s/%s/%s/%s/%s/%s/%s", a->op, a->algorithm, a->dtype,
             other.isa, other.cc, other.policy, cell);
    k->row = row;
}

/* Calls `use` with each (from, to) pair. */
static size_t each_pair(struct keyed *rows, size_t count,
                        void (*use)(void *context, const void *from, const void *to), void *context)
{
    size_t pairs = 0;
    qsort(rows, count, sizeof *rows, by_key);
    for (size_t i = 0; i + 1 < count; i++) {
        if (strcmp(rows[i].key, rows[i + 1].key) != 0 || rows[i].is_from == rows[i + 1].is_from)
            continue;
        size_t from = rows[i].is_from ? i : i + 1;
        use(context, rows[from].row, rows[from == i ? i + 1 : i].row);
        pairs++;
        i++;
    }
    return pairs;
}

struct ratios {
    double *logs;
    size_t count, left_out;
    struct ratio_mean mean; /* of those that were timed side by side */
};

static void add_ratio(void *context, const void *from, const void *to)
{
    struct ratios *ratios = context;
    const struct timing_result *a = from, *b = to;
    struct ratio ratio = pair_ratio(a, b);
    ratios->left_out += ratio_is_tied(ratio);
    if (isnan(ratio.value)) return;
    ratios->logs[ratios->count++] = -log(ratio.value);
    if (pair_is_side_by_side(a, b)) ratio_mean_add(&ratios->mean, b->processes, a->processes);
}

struct effect effect_on_time(const struct results *r, struct effect_of of)
{
    struct effect effect = {.geomean = NAN, .low = NAN, .high = NAN, .p5 = NAN, .p95 = NAN};
    struct keyed *rows = memory_zeroed(r->timing_count + 1, sizeof *rows);
    struct ratios ratios = {.logs = memory_zeroed(r->timing_count + 1, sizeof *ratios.logs)};
    size_t count = 0;
    for (size_t i = 0; i < r->timing_count; i++) {
        const struct timing_result *t = &r->timings[i];
        char cell[96];
        if (!(t->ns_per_element > 0) || !is_on_a_side(&t->axes, &of)) continue;
        snprintf(cell, sizeof cell, "%zu/%zu/%zu/%s", t->rows, t->n, t->threads, t->family);
        key_row(&rows[count++], &t->axes, cell, t, &of);
    }
    each_pair(rows, count, add_ratio, &ratios);
    effect.pairs = ratios.count;
    effect.left_out = ratios.left_out;
    if (effect.pairs) {
        double sum = 0;
        for (size_t i = 0; i < ratios.count; i++) sum += ratios.logs[i];
        effect.geomean = exp(sum / (double)ratios.count);
        if (ratios.mean.ratios == ratios.count) {
            struct ratio mean = ratio_mean_value(&ratios.mean);
            effect.geomean = mean.value;
            effect.low = mean.low;
            effect.high = mean.high;
        }
        stats_sort(ratios.logs, ratios.count);
        effect.p5 = exp(stats_quantile(ratios.logs, ratios.count, 0.05));
        effect.p95 = exp(stats_quantile(ratios.logs, ratios.count, 0.95));
    }
    free(rows);
    free(ratios.logs);
    return effect;
}

struct effect_text effect_interval(const struct effect *e)
{
    struct effect_text t = {""};
    if (!isnan(e->low)) snprintf(t.text, sizeof t.text, " [%.3f, %.3f]", e->low, e->high);
    return t;
}

struct effect_text effect_left_out(const struct effect *e)
{
    struct effect_text t = {""};
    if (e->left_out) snprintf(t.text, sizeof t.text, ", %zu with two modes left out", e->left_out);
    return t;
}
