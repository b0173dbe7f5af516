// SPDX-License-Identifier: MIT
#include "publish/analyse/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/registry.h"
#include "publish/load/whole_scan.h"

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct summary *)a)->id, ((const struct summary *)b)->id);
}

static void axes_id(const struct axes *a, char *id, size_t size)
{
    snprintf(id, size, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", a->op, a->algorithm, a->dtype,
             a->isa, a->cc, a->policy);
}

static struct summary *summaries_find(const struct summaries *s, const struct axes *a)
{
    struct summary key = {.id = ""};
    axes_id(a, key.id, sizeof key.id);
    return bsearch(&key, s->items, s->count, sizeof key, by_id);
}

/* The axes of the i-th record, of accuracies, then timings, then scans; false where it has none. */
static bool axes_at(const struct results *r, size_t i, struct axes *a)
{
    if (i < r->accuracy_count) return *a = r->accuracies[i].axes, true;
    i -= r->accuracy_count;
    if (i < r->timing_count) return *a = r->timings[i].axes, true;
    const json_t *scan = json_array_get(r->scan, i - r->timing_count);
    return scan_is_whole(scan) && axes_parse(record_text(scan, "id"), a);
}

static size_t most_variants(const struct results *r)
{
    return r->accuracy_count + r->timing_count + json_array_size(r->scan);
}

/* Every variant that a record names, once. */
static void collect(const struct results *r, struct summaries *s)
{
    size_t count = 0;
    for (size_t i = 0; i < most_variants(r); i++) {
        struct summary *item = &s->items[count];
        if (!axes_at(r, i, &item->axes)) continue;
        count++;
        item->error = item->worst_ulp = item->worst_scaled = item->worst_bound = NAN;
        item->advised = item->mean_ulp = item->specials_broken = item->lost = NAN;
        item->promises = true;
        item->worst_family = "";
        axes_id(&item->axes, item->id, sizeof item->id);
    }
    qsort(s->items, count, sizeof *s->items, by_id);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(s->items[i].id, s->items[s->count - 1].id) != 0)
            s->items[s->count++] = s->items[i];
}

/* NAN where the record counts nothing. */
static double specials_of(const json_t *record)
{
    static const char *const keys[] = {"nan", "inf", "sign"};
    const json_t *counts = json_object_get(record, "counts");
    double sum = 0;
    for (size_t i = 0; i < 3; i++) sum += record_number(counts, keys[i]);
    return sum;
}

/* A sum begins with its first value. */
static double begun(double value)
{
    return isnan(value) ? 0 : value;
}

static void add_facts(struct summary *v, const struct error_facts *facts, const json_t *record)
{
    v->wrong |= facts->promised == PROMISED_AND_BROKEN;
    v->promises &= facts->promised != PROMISED_NOTHING;
    if (!isnan(specials_of(record))) v->lost = fmax(v->lost, (double)facts->lost);
}

/* The error that the bar judges. Measure 1 has zeros in no figure in ULP: how far they are from the
 * exact value is unknown, and no bar holds. */
static double judged(const struct error_facts *facts, double error, bool in_ulp)
{
    return in_ulp && facts->measure == 1 && facts->flushed ? INFINITY : error;
}

static void add_accuracy(const struct results *r, struct summaries *s)
{
    size_t *cells = memory_zeroed(s->count + 1, sizeof *cells);
    for (size_t i = 0; i < r->accuracy_count; i++) {
        const struct accuracy_result *a = &r->accuracies[i];
        struct summary *v = summaries_find(s, &a->axes);
        bool in_ulp = !strcmp(error_unit(r, a->axes.op), "ulp");
        double error = in_ulp ? a->max_ulp : a->scaled_error;
        v->hazard |= a->hazard;
        add_facts(v, &a->facts, a->record);
        v->advised = fmax(v->advised, judged(&a->facts, error, in_ulp)); /* fmax leaves NAN out */
        if (!isnan(specials_of(a->record)))
            v->specials_broken = begun(v->specials_broken) + specials_of(a->record);
        v->worst_scaled = fmax(v->worst_scaled, a->scaled_error);
        v->worst_bound = fmax(v->worst_bound, a->bound_ratio);
        if (!(a->max_ulp <= v->worst_ulp) && !isnan(a->max_ulp)) {
            v->worst_ulp = a->max_ulp;
            v->worst_family = a->family;
        }
        if (strcmp(a->family, "normal") != 0 || isnan(a->max_ulp)) continue;
        v->error = fmax(v->error, error);
        v->mean_ulp = begun(v->mean_ulp) + a->mean_ulp;
        cells[v - s->items]++;
    }
    for (size_t i = 0; i < s->count; i++)
        if (cells[i]) s->items[i].mean_ulp /= (double)cells[i];
    free(cells);
}

/* The largest error of a scan's pass in short rows, whose ends run other code; NAN where there is
 * none. */
static double short_rows(const json_t *pass, struct summary *v)
{
    const double lost = record_number(pass, "lost");
    v->lost = fmax(v->lost, lost); /* fmax leaves NAN out */
    return lost > 0 ? INFINITY : record_number(pass, "max_ulp");
}

/* A whole scan knows every result of a function of one element: the bar judges by it alone. */
static void add_scans(const struct results *r, struct summaries *s)
{
    size_t i;
    const json_t *record;
    json_array_foreach(r->scan, i, record)
    {
        struct axes axes;
        if (!scan_is_whole(record) || !axes_parse(record_text(record, "id"), &axes)) continue;
        struct summary *v = summaries_find(s, &axes);
        struct error_facts facts = error_facts_of(record);
        double error = error_figure(record, "max_ulp");
        const json_t *in_rows = json_object_get(record, "short");
        if (isnan(error)) continue;
        v->hazard |= json_is_true(json_object_get(record, "hazard"));
        add_facts(v, &facts, record);
        v->advised = fmax(judged(&facts, error, true), short_rows(in_rows, v));
    }
}

static bool at_home(const struct timing_result *t)
{
    return t->threads == 1 && !strcmp(t->family, "normal") && !strcmp(t->status, "ok");
}

static void add_times(const struct results *r, struct summaries *s)
{
    size_t most = 0;
    for (size_t i = 0; i < r->timing_count; i++) {
        const struct timing_result *shape = &r->timings[i];
        if (!at_home(shape) || (shape->rows == s->home_rows && shape->n == s->home_n)) continue;
        size_t count = 0;
        for (size_t k = 0; k < r->timing_count; k++)
            count += at_home(&r->timings[k]) && r->timings[k].rows == shape->rows &&
                     r->timings[k].n == shape->n;
        if (count <= most) continue;
        most = count;
        s->home_rows = shape->rows;
        s->home_n = shape->n;
    }
    for (size_t i = 0; i < r->timing_count; i++) {
        const struct timing_result *t = &r->timings[i];
        if (at_home(t) && t->rows == s->home_rows && t->n == s->home_n)
            summaries_find(s, &t->axes)->home = t;
    }
}

int summaries_make(const struct results *r, double bar, struct summaries *s, struct error *e)
{
    *s = (struct summaries){.bar = bar,
                            .items = memory_zeroed(most_variants(r) + 1, sizeof *s->items)};
    if (!s->items)
        return fail(e, EXIT_PARTIAL, "out of memory: report: too many records; free some");
    collect(r, s);
    add_accuracy(r, s);
    add_scans(r, s);
    add_times(r, s);
    return 0;
}

void summaries_free(struct summaries *s)
{
    free(s->items);
    *s = (struct summaries){0};
}
