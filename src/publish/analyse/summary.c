#include "publish/analyse/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/registry.h"

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct summary *)a)->id, ((const struct summary *)b)->id);
}

static void axes_id(const struct axes *a, char *id, size_t size)
{
    snprintf(id, size, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", a->op, a->algorithm, a->dtype,
             a->isa, a->cc, a->policy);
}

struct summary *summaries_find(const struct summaries *s, const struct axes *a)
{
    struct summary key = {.id = ""};
    axes_id(a, key.id, sizeof key.id);
    return bsearch(&key, s->items, s->count, sizeof key, by_id);
}

/* Every variant that a record names, once. */
static void collect(const struct results *r, struct summaries *s)
{
    size_t count = 0;
    for (size_t i = 0; i < r->accuracy_count + r->timing_count; i++) {
        struct summary *item = &s->items[count++];
        item->axes =
            i < r->accuracy_count ? r->accuracies[i].axes : r->timings[i - r->accuracy_count].axes;
        item->error = item->worst_ulp = item->worst_scaled = item->worst_bound = NAN;
        item->worst_family = "";
        axes_id(&item->axes, item->id, sizeof item->id);
    }
    qsort(s->items, count, sizeof *s->items, by_id);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(s->items[i].id, s->items[s->count - 1].id) != 0)
            s->items[s->count++] = s->items[i];
}

static size_t specials_of(const json_t *record)
{
    static const char *const keys[] = {"nan", "inf", "sign"};
    const json_t *counts = json_object_get(record, "counts");
    size_t sum = 0;
    for (size_t i = 0; i < 3; i++) sum += record_count(counts, keys[i]);
    return sum;
}

static void add_accuracy(const struct results *r, struct summaries *s)
{
    size_t *cells = memory_zeroed(s->count + 1, sizeof *cells);
    for (size_t i = 0; i < r->accuracy_count; i++) {
        const struct accuracy_result *a = &r->accuracies[i];
        struct summary *v = summaries_find(s, &a->axes);
        v->hazard |= a->hazard;
        v->wrong |= !strcmp(a->status, "wrong");
        v->specials_broken += specials_of(a->record);
        v->worst_scaled = fmax(v->worst_scaled, a->scaled_error); /* fmax leaves NAN out */
        v->worst_bound = fmax(v->worst_bound, a->bound_ratio);
        if (!(a->max_ulp <= v->worst_ulp) && !isnan(a->max_ulp)) {
            v->worst_ulp = a->max_ulp;
            v->worst_family = a->family;
        }
        if (strcmp(a->family, "normal") != 0 || isnan(a->max_ulp)) continue;
        bool in_ulp = !strcmp(error_unit(r, a->axes.op), "ulp");
        v->error = fmax(v->error, in_ulp ? a->max_ulp : a->scaled_error);
        v->mean_ulp += (a->mean_ulp - v->mean_ulp) / (double)++cells[v - s->items];
    }
    free(cells);
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

int summaries_make(const struct results *r, struct summaries *s, struct error *e)
{
    *s = (struct summaries){
        .items = memory_zeroed(r->accuracy_count + r->timing_count + 1, sizeof *s->items)};
    if (!s->items)
        return fail(e, EXIT_PARTIAL, "out of memory: report: too many records; free some");
    collect(r, s);
    add_accuracy(r, s);
    add_times(r, s);
    return 0;
}

void summaries_free(struct summaries *s)
{
    free(s->items);
    *s = (struct summaries){0};
}

bool timing_keeps_promises(const struct summaries *s, const struct timing_result *t)
{
    const struct summary *v = summaries_find(s, &t->axes);
    return t->ns_per_element > 0 && !strcmp(t->status, "ok") && v && !v->hazard && !v->wrong &&
           policy_promises(t->axes.policy) != PROMISES_NOTHING;
}

bool summary_is_candidate(const struct summary *s)
{
    return !s->hazard && !s->wrong && s->home && s->home->ns_per_element > 0 && !isnan(s->error);
}
