/* Where equal bits everywhere cost time, how much, and what they buy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "publish/analyse/pairs.h"
#include "publish/sections/sections.h"

static const double allowed = 1.10; /* of the fastest kernel's time */

/* One shape on one ISA: the fastest invariant build, and the fastest of any other kernel. */
struct contest {
    const struct timing_result *invariant, *other;
};

/* `best` is the same kernel under the name that one looks for. */
static bool is_invariant(const struct timing_result *t)
{
    return !strcmp(t->axes.algorithm, "invariant") || !strcmp(t->axes.algorithm, "best");
}

static bool same_shape(const struct timing_result *a, const struct timing_result *b)
{
    return !strcmp(a->axes.group, b->axes.group) && !strcmp(a->axes.dtype, b->axes.dtype) &&
           !strcmp(a->axes.isa, b->axes.isa) && a->rows == b->rows && a->n == b->n &&
           a->threads == b->threads && !strcmp(a->family, b->family);
}

static double cost(const struct contest *c)
{
    return pair_ratio(c->other, c->invariant).value;
}

/* *tied: contests that have no ratio, which are left out. */
static size_t collect(const struct report *r, struct contest *contests, size_t *tied)
{
    size_t count = 0;
    for (size_t i = 0; i < r->results.timing_count; i++) {
        const struct timing_result *t = &r->results.timings[i];
        if (!timing_keeps_promises(&r->summaries, t)) continue;
        size_t k = 0;
        while (k < count &&
               !same_shape(contests[k].invariant ? contests[k].invariant : contests[k].other, t))
            k++;
        if (k == count) contests[count++] = (struct contest){NULL, NULL};
        const struct timing_result **best =
            is_invariant(t) ? &contests[k].invariant : &contests[k].other;
        if (!*best || t->ns_per_element < (*best)->ns_per_element) *best = t;
    }
    size_t kept = 0;
    *tied = 0;
    for (size_t k = 0; k < count; k++) {
        if (!contests[k].invariant || !contests[k].other) continue;
        bool left_out = isnan(cost(&contests[k]));
        *tied += left_out;
        if (!left_out) contests[kept++] = contests[k];
    }
    return kept;
}

static int dearest_first(const void *a, const void *b)
{
    double x = cost(a), y = cost(b);
    return (x < y) - (x > y);
}

size_t invariant_records(const struct report *r)
{
    struct contest *contests = memory_zeroed(r->results.timing_count + 1, sizeof *contests);
    size_t tied, count = collect(r, contests, &tied);
    free(contests);
    return count;
}

static double error_of(const struct report *r, const struct timing_result *t)
{
    const struct summary *s = summaries_find(&r->summaries, &t->axes);
    return s ? s->error : NAN;
}

/* What the records know of the reason: which limit both stand under, how near each comes to it, and
 * what the error is on either side. */
static void write_reason(const struct report *r, struct doc *d, const struct contest *c)
{
    const struct timing_result *i = c->invariant, *o = c->other;
    double own = error_of(r, i), its = error_of(r, o);
    char limits[160], errors[160] = "";
    if (strcmp(i->limit, o->limit) != 0)
        snprintf(limits, sizeof limits, "limited by %s (%.0f%%), the other by %s (%.0f%%)",
                 i->limit, i->percent_of_limit, o->limit, o->percent_of_limit);
    else
        snprintf(limits, sizeof limits, "%.0f%% of %s against %.0f%%", i->percent_of_limit,
                 i->limit, o->percent_of_limit);
    if (own > 0 && its > 0)
        snprintf(errors, sizeof errors, "; error %s against %s %s", number_error(own, NAN).text,
                 number_error(its, NAN).text, error_unit(&r->results, i->axes.op));
    doc_words(d, "%s%s", limits, errors);
}

static void write_contest(const struct report *r, struct doc *d, const struct contest *c)
{
    const struct timing_result *i = c->invariant, *o = c->other;
    doc_row_of(d, i->axes.group, NULL);
    doc_cell(d, "%s", i->axes.group);
    doc_cell(d, "%s", i->axes.isa);
    doc_cell(d, "%zux%zu", i->rows, i->n);
    doc_cell(d, "%zu", i->threads);
    doc_cell(d, "%s", i->residency);
    doc_interval(d, 3, i->ns_per_element, i->low, i->high);
    doc_interval(d, 3, o->ns_per_element, o->low, o->high);
    doc_cell(d, "%s %s %s", o->axes.algorithm, o->axes.cc, o->axes.policy);
    struct ratio ratio = pair_ratio(o, i);
    doc_shaded(d, cost(c) > 1.5 ? "d3" : "d2", "%.2f ~[%.2f, %.2f]~ %s", ratio.value, ratio.low,
               ratio.high, pair_flag(o, i));
    write_reason(r, d, c);
    doc_row_end(d);
}

static void write_table(const struct report *r, struct doc *d, const struct contest *contests,
                        size_t dear)
{
    static const char *const heads[] = {
        "operation",     "ISA",   "rows x n", "threads", "resident in", "invariant, ns/element",
        "fastest other", "which", "times",    "why",     NULL};
    doc_table(d, heads);
    for (size_t k = 0; k < dear; k++) write_contest(r, d, &contests[k]);
    doc_table_end(d);
}

void section_invariant(const struct report *r, struct doc *d)
{
    struct contest *contests = memory_zeroed(r->results.timing_count + 1, sizeof *contests);
    size_t tied, count = collect(r, contests, &tied), dear = 0, ahead = 0;
    qsort(contests, count, sizeof *contests, dearest_first);
    for (size_t k = 0; k < count; k++) {
        dear += cost(&contests[k]) > allowed;
        ahead += cost(&contests[k]) <= 1;
    }
    doc_text(d,
             "The fastest invariant build against the fastest other kernel that promises "
             "something, on the same ISA and shape: of %zu such pairs it is ahead on %zu, within "
             "10%% on %zu more, and costs more than that on %zu.",
             count, ahead, count - ahead - dear, dear);
    if (tied) doc_text(d, "%zu more have two modes and no majority: they are left out.", tied);
    if (dear) {
        const struct timing_result *worst = contests[0].invariant;
        doc_text(d, "Dearest is %s on %s at %zux%zu: %.2f times %s.", worst->axes.group,
                 worst->axes.isa, worst->rows, worst->n, cost(&contests[0]),
                 contests[0].other->axes.algorithm);
        write_table(r, d, contests, dear);
    }
    free(contests);
}
