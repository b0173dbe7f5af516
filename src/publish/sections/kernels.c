/* What to ship, operation by operation: the fastest variant and the most accurate one. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "publish/sections/sections.h"

static void write_choice(const struct report *r, struct doc *d, const struct summary *v)
{
    if (!v) {
        for (size_t i = 0; i < 4; i++) doc_cell(d, "-");
        return;
    }
    const struct timing_result *t = v->home;
    doc_cell(d, "`%s` %s %s `%s`", v->axes.algorithm, v->axes.isa, v->axes.cc, v->axes.policy);
    doc_interval(d, 3, t->ns_per_element, t->low, t->high);
    doc_percent(d, t->percent_of_limit);
    doc_error(d, v->error, error_unit(&r->results, v->axes.op));
}

/* On the page each row is a card. */
static void write_choices(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation",
                                        "fastest",
                                        "ns/element [95% interval]",
                                        "% of limit",
                                        "max error",
                                        "most accurate",
                                        "ns/element [95% interval]",
                                        "% of limit",
                                        "max error",
                                        NULL};
    doc_table_styled(d, "cards", heads);
    for (size_t i = 0; i < r->present.ops.count; i++) {
        const char *op = r->present.ops.items[i];
        doc_row_of(d, op, NULL);
        doc_cell(d, "%s", op);
        write_choice(r, d, choose_fastest(&r->summaries, op));
        write_choice(r, d, choose_most_accurate(&r->summaries, op));
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* The variant of an operation that keeps its promises and errs least; NULL where none was timed. */
static const struct summary *nearest_to_bar(const struct summaries *s, const char *op)
{
    const struct summary *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const struct summary *v = &s->items[i];
        if (!strcmp(v->axes.group, op) && v->home && summary_keeps_promises(v) &&
            !isnan(v->advised) && (!best || v->advised < best->advised))
            best = v;
    }
    return best;
}

/* Where nothing is advised, what misses the bar by least is said. */
static void write_beyond_bar(const struct report *r, struct doc *d)
{
    for (size_t i = 0; i < r->present.ops.count; i++) {
        const char *op = r->present.ops.items[i];
        const struct summary *v =
            choose_fastest(&r->summaries, op) ? NULL : nearest_to_bar(&r->summaries, op);
        if (v)
            doc_text(
                d, "%s: no kernel is within the bar. The nearest, `%s` %s %s `%s`, errs by %s %s.",
                op, v->axes.algorithm, v->axes.isa, v->axes.cc, v->axes.policy,
                number_error(v->advised, NAN).text, error_unit(&r->results, v->axes.op));
    }
}

static void write_units(const struct report *r, struct doc *d)
{
    doc_text(d,
             "Errors are over family `normal`, every row length, against an fp64 oracle: in "
             "fractional ULP, |got - exact| / ulp(exact), where a correctly rounded result is at "
             "most 0.5; or, where results come near zero and ULP is unbounded for everybody "
             "(logsumexp, moments, layernorm), in u = 2^-24 relative to the size of the inputs. "
             "Rows named bf16 and f16 are the same kernels with x and y stored so and fp32 "
             "arithmetic: their errors are in ulp and u of that type (moments stay fp32), they "
             "compete among themselves, and sums over all operations leave them out.");
    for (size_t i = 0; i < r->results.operation_count; i++)
        if (r->results.operations[i].reference)
            doc_text(d,
                     "%s is measured against the reference in `%s`: its author's word, which "
                     "nobody certified.",
                     r->results.operations[i].op, r->results.operations[i].reference);
}

static void write_scatter(struct doc *d)
{
    doc_heading(d, "Speed against error");
    doc_text(d, "Every variant at that shape: left is faster, down is more accurate. The line is "
                "the Pareto front: nothing is both faster and more accurate than what is on it. "
                "Hazards (hollow) are wrong by design on some inputs and never on the front.");
    doc_chart(d, "scatter", "Scatter of time per element against error, one point per variant");
}

static void write_unsteady(const struct report *r, struct doc *d)
{
    const struct unsteady *u = &r->unsteady;
    if (u->steady < u->blocks)
        doc_text(d,
                 "%zu of %zu blocks of cells stayed unsteady: two timings of one code there are "
                 "not known within 1%% of each other: %s.",
                 u->blocks - u->steady, u->blocks, u->names);
}

void section_kernels(const struct report *r, struct doc *d)
{
    if (r->summaries.home_rows)
        doc_text(d,
                 "Per operation, at %zu rows of %zu (one pinned thread, family `normal`), the "
                 "fastest variant that keeps every promise its file makes, and the most accurate "
                 "one. Both are within the bar of %.3g ulp, or u where results come near zero "
                 "(`--max-ulp`), over every input where a scan has them all, else over all "
                 "families. Where the clock cannot tell builds apart, the more conservative policy "
                 "is named. `reassoc` and `fastmath` promise nothing and are no candidates; a "
                 "user's kernel without a promise is one if it loses no result.",
                 r->summaries.home_rows, r->summaries.home_n, r->summaries.bar);
    write_unsteady(r, d);
    write_choices(r, d);
    write_beyond_bar(r, d);
    if (d->html && r->summaries.home_rows) write_scatter(d);
    write_units(r, d);
}
