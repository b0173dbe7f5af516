/* The lab beside the libraries that people run: per operation, ISA and shape the fastest of each.
 */
#include <math.h>
#include <string.h>

#include "model/record.h"
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

static void write_means(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation", "ISA",        "shapes",         "lab faster",
                                        "equal",     "lab slower", "geometric mean", NULL};
    const struct field *f = &r->field;
    doc_text(d, "The library's time over the lab's, means over the shapes `default`; equal: the "
                "interval touches 1.");
    doc_table(d, heads);
    for (size_t i = 0; i < f->count; i++) {
        const char *op = field_op_of(&f->cells[i]), *isa = f->cells[i].isa;
        struct field_mean mean = field_mean_of(f, op, isa);
        if (!field_ends_group(f, i) || !mean.shapes) continue;
        doc_row_of(d, op, NULL);
        doc_cell(d, "%s", op);
        doc_cell(d, "%s", isa);
        doc_cell(d, "%zu", mean.shapes);
        doc_cell(d, "%zu", mean.faster);
        doc_cell(d, "%zu", mean.equal);
        doc_cell(d, "%zu", mean.slower);
        doc_cell(d, "**%.2f**", mean.ratio);
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* ---- Cell by cell ---------------------------------------------------------------------------- */

static void write_ratio(struct doc *d, const struct field_cell *c)
{
    if (c->high < 1)
        doc_shaded(d, "heat h-2", "**%.2f** ~[%.2f, %.2f]~", c->ratio, c->low, c->high);
    else if (c->low <= 1)
        doc_shaded(d, "heat h0", "%.2f ~[%.2f, %.2f]~ equal", c->ratio, c->low, c->high);
    else
        doc_interval(d, 2, c->ratio, c->low, c->high);
}

static void write_cell(const struct report *r, struct doc *d, const struct field_cell *c)
{
    const struct timing_result *lab = c->lab, *peer = c->peer;
    const char *unit = error_unit(&r->results, lab->axes.group);
    doc_row_of(d, lab->axes.group, NULL);
    doc_cell(d, "%s", lab->axes.group);
    doc_cell(d, "%s", c->isa);
    doc_cell(d, "%zux%zu", lab->rows, lab->n);
    doc_cell(d, "%s", lab->residency);
    doc_cell(d, "`%s` %s `%s`", lab->axes.algorithm, lab->axes.cc, lab->axes.policy);
    doc_interval(d, 3, lab->ns_per_element, lab->low, lab->high);
    doc_error(d, c->lab_error, unit);
    if (axes_are_of_library(&peer->axes))
        doc_cell(d, "%s", peer_name(&peer->axes));
    else
        doc_cell(d, "`%s` %s `%s`", peer->axes.algorithm, peer->axes.cc, peer->axes.policy);
    doc_interval(d, 3, peer->ns_per_element, peer->low, peer->high);
    doc_error(d, c->peer_error, unit);
    write_ratio(d, c);
    doc_row_end(d);
}

static void write_cells(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation",  "ISA",        "rows x n",      "in",
                                        "the lab's",  "ns/element", "max error",     "library",
                                        "ns/element", "max error",  "library / lab", NULL};
    doc_table(d, heads);
    for (size_t i = 0; i < r->field.count; i++)
        if (!isnan(r->field.cells[i].ratio)) write_cell(r, d, &r->field.cells[i]);
    doc_table_end(d);
}

void section_field(const struct report *r, struct doc *d)
{
    if (!r->results.peer_timing_count) {
        doc_text(d, "No library was timed in this run: `make peers && ulplab run --peers`.");
        return;
    }
    doc_text(d,
             "Per operation, ISA and shape, on one thread and in the same interleaved run: the "
             "lab's fastest variant that keeps every promise (no `reassoc`, no `fastmath`), the "
             "fastest that people have without the lab (a library; or the plain C loop, or Eigen, "
             "compiled in this run under whichever policy is fastest, `fastmath` too), and the "
             "latter's time over the former's. Intervals of times are 95%% "
             "over fresh processes, those of ratios from both intervals' far ends, and so wider; "
             "a ratio in bold is below 1 with its whole interval. Errors are over family "
             "`normal`. log_softmax is softmax's kernels, asked for logarithms. A library without "
             "a cap on its ISA stands beside the widest.");
    write_libraries(r, d);
    if (!r->field.compared) {
        doc_text(d, "Nothing was timed on both sides.");
        return;
    }
    write_means(r, d);
    write_cells(r, d);
}
