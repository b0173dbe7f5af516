/* The lab beside what people have without it: per operation, ISA and shape the fastest of each. */
#include <math.h>
#include <string.h>

#include "model/record.h"
#include "publish/analyse/flags.h"
#include "publish/sections/sections.h"

size_t field_records(const struct report *r)
{
    return r->results.timing_count;
}

/* ---- Which libraries ------------------------------------------------------------------------- */

static bool same_variant(const struct axes *a, const struct axes *b)
{
    return !strcmp(a->group, b->group) && !strcmp(a->algorithm, b->algorithm) &&
           !strcmp(a->isa, b->isa);
}

/* Of several records of a variant the first that says why it was not timed. */
static bool is_first_failure(const struct timing_result *peers, size_t i)
{
    if (!strcmp(peers[i].status, "ok")) return false;
    for (size_t k = 0; k < i; k++)
        if (strcmp(peers[k].status, "ok") && same_variant(&peers[k].axes, &peers[i].axes))
            return false;
    return true;
}

/* Nothing is silently missing: a library that was not timed is named with the reason. */
static void write_libraries(const struct report *r, struct doc *d)
{
    const struct timing_result *peers = r->results.timings + r->results.timing_count;
    json_t *versions = json_object_get(json_object_get(r->results.machine, "request"), "peers"),
           *version;
    const char *name;
    doc_list(d);
    json_object_foreach(versions, name, version)
        doc_item(d, "%s: %s", name, json_string_value(version));
    for (size_t i = 0; i < r->results.peer_timing_count; i++)
        if (is_first_failure(peers, i))
            doc_item(d, "%s/%s, %s: **%s** %s", peers[i].axes.group, peers[i].axes.algorithm,
                     peers[i].axes.isa, peers[i].status, record_text(peers[i].record, "reason"));
    doc_list_end(d);
}

/* ---- Means ----------------------------------------------------------------------------------- */

static void write_mean(const struct field_mean *mean, struct doc *d)
{
    if (!(mean->shapes + mean->left_out)) {
        for (int i = 0; i < 3; i++) doc_cell(d, "-");
        return;
    }
    if (mean->left_out)
        doc_cell(d, "%zu, %zu left out", mean->shapes, mean->left_out);
    else
        doc_cell(d, "%zu", mean->shapes);
    doc_cell(d, "%zu / %zu / %zu", mean->faster, mean->equal, mean->slower);
    if (mean->shapes)
        doc_cell(d, "**%.2f**", mean->ratio);
    else
        doc_cell(d, "-");
}

static void write_means(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation",
                                        "ISA",
                                        "shapes",
                                        "lab faster / equal / slower",
                                        "library / lab",
                                        "shapes",
                                        "lab faster / equal / slower",
                                        "plain loop / lab",
                                        NULL};
    const struct field *f = &r->field;
    doc_text(d, "Times over the lab's, geometric means over the shapes `default`; equal: the "
                "interval touches 1.");
    doc_table(d, heads);
    for (size_t i = 0; i < f->count; i++) {
        const char *op = field_op_of(&f->cells[i]), *isa = f->cells[i].isa;
        struct field_mean library = field_mean_of(f, op, isa, RIVAL_LIBRARY),
                          loop = field_mean_of(f, op, isa, RIVAL_LOOP);
        if (!field_ends_group(f, i)) continue;
        if (!(library.shapes + library.left_out + loop.shapes + loop.left_out)) continue;
        doc_row_of(d, op, NULL);
        doc_cell(d, "%s", op);
        doc_cell(d, "%s", isa);
        write_mean(&library, d);
        write_mean(&loop, d);
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* ---- Cell by cell ---------------------------------------------------------------------------- */

static void write_ratio(struct doc *d, const struct rival *rival)
{
    const char *space = rival->flag[0] ? " " : "", *flag = rival->flag;
    if (rival->tied)
        doc_cell(d, "- two-modes");
    else if (rival->high < 1)
        doc_shaded(d, "heat h-2", "**%.2f** ~[%.2f, %.2f]~%s%s", rival->ratio, rival->low,
                   rival->high, space, flag);
    else if (rival->low <= 1)
        doc_shaded(d, "heat h0", "%.2f ~[%.2f, %.2f]~ equal%s%s", rival->ratio, rival->low,
                   rival->high, space, flag);
    else if (flag[0])
        doc_cell(d, "%.2f ~[%.2f, %.2f]~%s%s", rival->ratio, rival->low, rival->high, space, flag);
    else
        doc_interval(d, 2, rival->ratio, rival->low, rival->high);
}

/* With the times of its modes, where it has two. */
static void write_variant(const struct timing_result *t, struct doc *d)
{
    const struct axes *a = &t->axes;
    struct flags_text modes = flags_modes(t->record);
    const char *open = t->two_modes ? " (row: " : "", *close = t->two_modes ? ")" : "";
    if (axes_are_of_library(a))
        doc_cell(d, "%s%s%s%s", peer_name(a), open, modes.text, close);
    else
        doc_cell(d, "`%s` %s `%s`%s%s%s", a->algorithm, a->cc, a->policy, open, modes.text, close);
}

static void write_cell(const struct report *r, struct doc *d, const struct field_cell *c,
                       const struct rival *rival)
{
    const struct timing_result *lab = c->lab;
    const char *unit = error_unit(&r->results, lab->axes.group);
    doc_row_of(d, lab->axes.group, NULL);
    doc_cell(d, "%s", lab->axes.group);
    doc_cell(d, "%s", c->isa);
    doc_cell(d, "%zux%zu", lab->rows, lab->n);
    doc_cell(d, "%s", lab->residency);
    write_variant(lab, d);
    doc_interval(d, 3, lab->ns_per_element, lab->low, lab->high);
    doc_error(d, c->lab_error, unit);
    write_variant(rival->time, d);
    doc_interval(d, 3, rival->time->ns_per_element, rival->time->low, rival->time->high);
    doc_error(d, rival->error, unit);
    write_ratio(d, rival);
    doc_row_end(d);
}

/* Markdown has room for the shapes `default`; where none of them was timed, for all. */
static bool shows_default_alone(const struct field *f, const struct doc *d)
{
    for (size_t i = 0; i < f->count && !d->html; i++) {
        const struct timing_result *lab = f->cells[i].lab;
        if (lab && !strcmp(field_shapes_of(lab), "default")) return true;
    }
    return false;
}

static void write_cells(const struct report *r, struct doc *d, enum rival_kind kind)
{
    static const char *const names[RIVAL_KINDS] = {"library", "plain loop"},
                             *const ratios[RIVAL_KINDS] = {"library / lab", "plain loop / lab"};
    const char *const heads[] = {"operation",  "ISA",        "rows x n",   "in",
                                 "the lab's",  "ns/element", "max error",  names[kind],
                                 "ns/element", "max error",  ratios[kind], NULL};
    bool default_alone = shows_default_alone(&r->field, d);
    doc_text(d, "Beside the fastest %s%s:", names[kind],
             default_alone ? ", at the shapes `default` (report.html has all)" : "");
    doc_table(d, heads);
    for (size_t i = 0; i < r->field.count; i++) {
        const struct field_cell *c = &r->field.cells[i];
        if (isnan(c->rivals[kind].ratio) && !c->rivals[kind].tied) continue;
        if (!default_alone || !strcmp(field_shapes_of(c->lab), "default"))
            write_cell(r, d, c, &c->rivals[kind]);
    }
    doc_table_end(d);
}

void section_field(const struct report *r, struct doc *d)
{
    if (!r->results.peer_timing_count) {
        doc_text(d, "No library was timed in this run: `make peers && ulplab run --peers`.");
        return;
    }
    doc_text(
        d,
        "Per operation, ISA and shape, on one thread and in the same interleaved run: the "
        "lab's fastest variant that is advised (no `reassoc`, no `fastmath`; errors up to %.3g ulp "
        "or u), beside "
        "the fastest library, and beside the fastest plain loop: the C loop that anybody would "
        "write, or Eigen, compiled in this run under whichever policy is fastest, `fastmath` "
        "too. Intervals of times are 95%% over fresh processes, those of ratios from both "
        "intervals' far ends, and so wider; a ratio in bold is below 1 with its whole "
        "interval. two-modes: some processes took another time, which stands beside the name with "
        "how many did; time and ratio are the majority's, and where there is none the ratio is "
        "left out of the means, which say so; unsteady: samples within a process lie so far apart "
        "that times, which are their medians, and ratios, which are of the quiet ones, may differ. "
        "Errors are over family `normal`. log_softmax is softmax's kernels, asked "
        "for logarithms. A library without a cap on its ISA stands beside the widest.",
        r->summaries.bar);
    write_libraries(r, d);
    if (!r->field.compared) {
        doc_text(d, "Nothing was timed on both sides.");
        return;
    }
    write_means(r, d);
    write_cells(r, d, RIVAL_LIBRARY);
    if (d->html)
        write_cells(r, d, RIVAL_LOOP);
    else
        doc_text(d, "Beside the fastest plain loop: report.html.");
}
