#include "publish/analyse/identical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"
#include "model/record.h"
#include "publish/analyse/pairs.h"
#include "publish/load/codes.h"

struct twin {
    const struct timing_result *cell;
    const char *code;
};

/* Cells that may be compared stand next to each other. Old records have no block. */
static int by_code(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    const struct timing_result *s = x->cell, *t = y->cell;
    int c = strcmp(x->code, y->code);
    if (!c) c = strcmp(s->axes.group, t->axes.group);
    if (!c) c = strcmp(s->family, t->family);
    if (!c) c = (s->rows > t->rows) - (s->rows < t->rows);
    if (!c) c = (s->n > t->n) - (s->n < t->n);
    return c;
}

static size_t collect(const struct results *r, const struct codes *codes, struct twin *twins)
{
    size_t count = 0;
    for (size_t i = 0; i < r->timing_count; i++) {
        const struct timing_result *t = &r->timings[i];
        char id[VARIANT_ID_MAX];
        variant_id(&t->axes, id);
        const char *code = code_of(codes, id);
        if (*code && t->threads == 1 && t->ns_per_element > 0)
            twins[count++] = (struct twin){t, code};
    }
    qsort(twins, count, sizeof *twins, by_code);
    return count;
}

static size_t add_twins(const struct twin *twins, size_t count, double *apart, bool *side_by_side)
{
    size_t pairs = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        if (by_code(&twins[i], &twins[i + 1]) != 0) continue;
        double ratio = pair_ratio(twins[i].cell, twins[i + 1].cell).value;
        *side_by_side = *side_by_side || pair_is_side_by_side(twins[i].cell, twins[i + 1].cell);
        if (!isnan(ratio)) apart[pairs++] = fabs(ratio - 1);
    }
    return pairs;
}

static size_t add_controls(const struct results *r, double *apart)
{
    size_t pairs = 0;
    for (size_t i = 0; i < r->control_count; i++)
        if (r->controls[i].threads == 1 && !isnan(r->controls[i].ratio))
            apart[pairs++] = fabs(r->controls[i].ratio - 1);
    return pairs;
}

int identical_measure(const struct results *r, struct identical *i, struct error *e)
{
    struct codes codes;
    *i = (struct identical){.side_by_side = r->control_count > 0};
    int code = codes_read(r, &codes, e);
    if (code) return code;
    struct twin *twins = calloc(r->timing_count + 1, sizeof *twins);
    double *apart = calloc(r->timing_count + r->control_count + 1, sizeof *apart);
    if (twins && apart) {
        size_t count = collect(r, &codes, twins);
        i->pairs = add_twins(twins, count, apart, &i->side_by_side);
        i->pairs += add_controls(r, apart + i->pairs);
        stats_sort(apart, i->pairs);
        i->median = stats_quantile(apart, i->pairs, 0.5);
        i->p90 = stats_quantile(apart, i->pairs, 0.9);
        i->p95 = stats_quantile(apart, i->pairs, 0.95);
        i->p99 = stats_quantile(apart, i->pairs, 0.99);
    } else {
        code = fail(e, EXIT_PARTIAL, "out of memory: report: pairs of equal code; free some");
    }
    free(twins);
    free(apart);
    codes_free(&codes);
    return code;
}

void identical_text(const struct identical *i, char *text, size_t size)
{
    if (!i->pairs)
        snprintf(text, size,
                 "No two cells of this run have identical code: how far two timings of "
                 "it are apart is not known.");
    else
        snprintf(text, size,
                 "Identical code, timed twice in this run: 95%% within %.2g%% (median %.2g%%, "
                 "%zu pairs%s).",
                 100 * i->p95, 100 * i->median, i->pairs,
                 i->side_by_side ? "" : "; not timed side by side");
}

json_t *identical_record(const struct identical *i)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:b}", "pairs", (json_int_t)i->pairs, "median",
                     record_real(i->median), "p90", record_real(i->p90), "p95", record_real(i->p95),
                     "p99", record_real(i->p99), "side_by_side", i->side_by_side);
}
