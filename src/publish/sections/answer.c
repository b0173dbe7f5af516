/* What to ship: per operation the fastest variant and the most accurate one. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "publish/analyse/effect.h"
#include "publish/sections/sections.h"

/* Runs whose pairs of identical code are further apart, at the 90th percentile, are disturbed. */
static const double steady = 0.03;

/* What the flags are worth over everything, one sentence per compiler. */
static void write_headline(const struct report *r, struct doc *d, const char *cc)
{
    struct effect_of fast_over_off = {"policy", "off", "fast", .cc = cc};
    struct effect_of default_to_off = {"policy", "off", "default", .cc = cc};
    struct effect_of default_to_fast = {"policy", "fast", "default", .cc = cc};
    struct effect fast = effect_on_time(&r->results, fast_over_off);
    struct effect_bits plain = effect_on_bits(&r->results, default_to_off);
    struct effect_bits fused = effect_on_bits(&r->results, default_to_fast);
    if (!fast.pairs) return;
    char bits[160] = "";
    if (plain.pairs && fused.pairs)
        snprintf(bits, sizeof bits,
                 " Its default gives the bits of off in %.0f%% and those of fast in %.0f%% of the "
                 "accuracy cells.",
                 100 * plain.same, 100 * fused.same);
    doc_item(
        d,
        "**%s**: `fast` runs at %.3f%s times the speed of `off` (geometric mean over %zu pairs "
        "of cells%s, middle 90%% %.2f to %.2f).%s",
        cc, fast.geomean, effect_interval(&fast).text, fast.pairs, effect_left_out(&fast).text,
        fast.p5, fast.p95, bits);
}

static void write_headlines(const struct report *r, struct doc *d)
{
    struct effect_of wide_over_narrow = {.axis = "isa", .from = "avx2", .to = "avx512"};
    struct effect wide = effect_on_time(&r->results, wide_over_narrow);
    doc_list(d);
    for (size_t c = 0; c < r->present.ccs.count; c++) write_headline(r, d, r->present.ccs.items[c]);
    if (wide.pairs)
        doc_item(
            d,
            "**AVX-512** runs at %.2f%s times the speed of AVX2 (%zu pairs%s, middle 90%% %.2f to "
            "%.2f).",
            wide.geomean, effect_interval(&wide).text, wide.pairs, effect_left_out(&wide).text,
            wide.p5, wide.p95);
    doc_list_end(d);
}

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

/* How far the figures below can be trusted comes before them. */
static void write_steadiness(const struct report *r, struct doc *d)
{
    char identical[200];
    identical_text(&r->identical, identical, sizeof identical);
    if (r->identical.p90 > steady)
        doc_text(d,
                 "%s **This run was disturbed**: smaller differences than that say nothing about "
                 "the code.",
                 identical);
    else
        doc_text(d, "%s Smaller differences than that say nothing about the code.", identical);
    const struct unsteady *u = &r->unsteady;
    if (u->steady < u->blocks)
        doc_text(d,
                 "%zu of %zu blocks of cells stayed unsteady: two timings of one code there are "
                 "not known within 1%% of each other: %s.",
                 u->blocks - u->steady, u->blocks, u->names);
}

void section_answer(const struct report *r, struct doc *d)
{
    if (r->results.timing_count) write_steadiness(r, d);
    if (r->summaries.home_rows)
        doc_text(d,
                 "What to ship on this CPU: per operation, at %zu rows of %zu (one pinned thread, "
                 "family `normal`), the fastest variant that keeps every promise its file makes, "
                 "and the most accurate one. Both are within the bar of %.3g ulp, or u where "
                 "results come near zero (`--max-ulp`), over every input where a scan has them "
                 "all, else over all families. Where the clock cannot tell builds apart, the more "
                 "conservative policy is named. `reassoc` and `fastmath` promise nothing and are "
                 "no candidates; a user's kernel without a promise is one if it loses no result.",
                 r->summaries.home_rows, r->summaries.home_n, r->summaries.bar);
    else
        doc_text(d, "No times are in these results: run `ulplab bench`, then write the report "
                    "again.");
    write_choices(r, d);
    write_beyond_bar(r, d);
    write_headlines(r, d);
    if (d->html && r->summaries.home_rows) write_scatter(d);
    write_units(r, d);
}
