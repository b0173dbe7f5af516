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

/* False where the row is on neither side. `cell` is what else has to agree. */
static bool key_row(struct keyed *k, const struct axes *a, const char *cell, const void *row,
                    const struct effect_of *of)
{
    const struct {
        const char *name, *value;
    } axes[] = {{"isa", a->isa}, {"cc", a->cc}, {"policy", a->policy}};
    bool asked = of->op ? !strcmp(a->group, of->op) : !strcmp(a->dtype, "f32");
    if (!asked || (of->cc && strcmp(a->cc, of->cc) != 0)) return false;
    if (of->takes && !of->takes(of->context, a)) return false;
    size_t length =
        (size_t)snprintf(k->key, sizeof k->key, "%s/%s/%s", a->op, a->algorithm, a->dtype);
    bool on_a_side = false;
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(axes[i].name, of->axis) != 0) {
            length +=
                (size_t)snprintf(k->key + length, sizeof k->key - length, "/%s", axes[i].value);
            continue;
        }
        k->is_from = !strcmp(axes[i].value, of->from);
        on_a_side = k->is_from || !strcmp(axes[i].value, of->to);
    }
    snprintf(k->key + length, sizeof k->key - length, "/%s", cell);
    k->row = row;
    return on_a_side;
}

/* What can be said before a row's key is made, which takes long for all rows of a run. */
static bool may_count(const struct effect_of *of, const struct axes *a)
{
    const char *value = axes_value(a, of->axis);
    return (!of->op || !strcmp(a->group, of->op)) && (!of->cc || !strcmp(a->cc, of->cc)) &&
           (!strcmp(value, of->from) || !strcmp(value, of->to));
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
    size_t count;
    struct ratio_mean mean; /* of those that were timed side by side */
};

static void add_ratio(void *context, const void *from, const void *to)
{
    struct ratios *ratios = context;
    const struct timing_result *a = from, *b = to;
    ratios->logs[ratios->count++] = -log(pair_ratio(a, b).value);
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
        if (!may_count(&of, &t->axes)) continue;
        snprintf(cell, sizeof cell, "%zu/%zu/%zu/%s", t->rows, t->n, t->threads, t->family);
        if (t->ns_per_element > 0 && key_row(&rows[count], &t->axes, cell, t, &of)) count++;
    }
    effect.pairs = each_pair(rows, count, add_ratio, &ratios);
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

static void count_same(void *context, const void *from, const void *to)
{
    const struct accuracy_result *a = from, *b = to;
    size_t *same = context;
    *same += json_equal(json_object_get(a->record, "bits"), json_object_get(b->record, "bits"));
}

struct effect_bits effect_on_bits(const struct results *r, struct effect_of of)
{
    struct keyed *rows = memory_zeroed(r->accuracy_count + 1, sizeof *rows);
    size_t count = 0, same = 0;
    for (size_t i = 0; rows && i < r->accuracy_count; i++) {
        const struct accuracy_result *a = &r->accuracies[i];
        char cell[96];
        if (!may_count(&of, &a->axes)) continue;
        snprintf(cell, sizeof cell, "%zu/%s", a->n, a->family);
        if (json_is_string(json_object_get(a->record, "bits")) &&
            key_row(&rows[count], &a->axes, cell, a, &of))
            count++;
    }
    struct effect_bits bits = {.pairs = each_pair(rows, count, count_same, &same)};
    bits.same = bits.pairs ? (double)same / (double)bits.pairs : NAN;
    free(rows);
    return bits;
}
