/* A table per operation: every kernel's fastest build at each row length, on each machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/record.h"
#include "model/registry.h"
#include "publish/analyse/flags.h"
#include "publish/sections/performance_parts.h"

/* What is one line: shapes of one row length and residency, since the number of rows follows from
 * each machine's caches. */
static int by_line(const void *a, const void *b)
{
    const struct timing_result *x = *(const struct timing_result *const *)a;
    const struct timing_result *y = *(const struct timing_result *const *)b;
    int c = strcmp(x->axes.group, y->axes.group);
    if (!c) c = strcmp(x->axes.algorithm, y->axes.algorithm);
    if (!c) c = !strcmp(y->axes.isa, "scalar") - !strcmp(x->axes.isa, "scalar"); /* goes first */
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = strcmp(x->axes.dtype, y->axes.dtype);
    if (!c) c = (x->threads > y->threads) - (x->threads < y->threads);
    if (!c) c = strcmp(x->family, y->family);
    if (!c) c = (x->n > y->n) - (x->n < y->n);
    return c ? c : strcmp(x->residency, y->residency);
}

static bool is_better(const struct timing_result *a, const struct timing_result *b)
{
    bool nothing_a = policy_promises(a->axes.policy) == PROMISES_NOTHING;
    bool nothing_b = policy_promises(b->axes.policy) == PROMISES_NOTHING;
    return nothing_a != nothing_b ? nothing_b : a->ns_per_element < b->ns_per_element;
}

/* The fastest build (compiler, policy, number of rows) of a line on one machine; one under a policy
 * that promises nothing stands here only where there is no other. */
static const struct timing_result *fastest(const struct machine *machine,
                                           const struct timing_result *line)
{
    const struct timing_result *best = NULL;
    for (size_t i = 0; i < machine->report.results.timing_count; i++) {
        const struct timing_result *t = &machine->report.results.timings[i];
        if (t->ns_per_element > 0 && !machine->withheld[i] && !by_line(&t, &line) &&
            (!best || is_better(t, best)))
            best = t;
    }
    return best;
}

/* "gcc-12 `off` 64x512; throttled": with what the measurement says against itself. */
static void write_build(struct doc *d, const struct timing_result *t)
{
    struct flags_text flags = flags_text(t->record);
    doc_cell(d, "%s `%s` %zux%zu%s%s", t->axes.cc, t->axes.policy, t->rows, t->n,
             flags.text[0] ? "; " : "", flags.text);
}

static void write_machine(const struct machine *machine, struct doc *d,
                          const struct timing_result *line)
{
    const struct timing_result *t = fastest(machine, line);
    if (!t) {
        for (size_t i = 0; i < 5; i++) doc_cell(d, "-");
        return;
    }
    const struct summary *v = summaries_find(&machine->report.summaries, &t->axes);
    double per_ns = record_number(t->record, "cycles_per_element") / t->ns_per_element;
    double error = v ? v->error : NAN;
    const char *says = v && v->hazard ? " (hazard)" : v && v->wrong ? " (wrong)" : "";
    if (isnan(per_ns))
        doc_cell(d, "-");
    else
        doc_interval(d, 3, t->ns_per_element * per_ns, t->low * per_ns, t->high * per_ns);
    doc_cell(d, "%.3f", t->ns_per_element);
    doc_cell(d, "%.0f %s", t->percent_of_limit, t->limit);
    doc_cell(d, "%s %s%s", number_error(error, NAN).text,
             error_unit(&machine->report.results, t->axes.op), says);
    write_build(d, t);
}

static void write_line(const struct machines *m, struct doc *d, const struct timing_result *line)
{
    bool usual = !strcmp(line->family, "normal");
    doc_row(d);
    doc_cell(d, "`%s`", line->axes.algorithm);
    doc_cell(d, "%s", line->axes.isa);
    doc_cell(d, "%zu", line->n);
    doc_cell(d, "%s", line->residency);
    doc_cell(d, "%zu%s%s", line->threads, usual ? "" : ", ", usual ? "" : line->family);
    for (size_t i = 0; i < m->count; i++) write_machine(&m->items[i], d, line);
    doc_row_end(d);
}

/* Every timing of every machine, those of one line together; the caller frees. */
static const struct timing_result **collect(const struct machines *m, size_t *count)
{
    size_t all = 0;
    for (size_t i = 0; i < m->count; i++) all += m->items[i].report.results.timing_count;
    const struct timing_result **rows = memory_zeroed(all + 1, sizeof *rows);
    *count = 0;
    for (size_t k = 0; k < m->count; k++) {
        const struct results *r = &m->items[k].report.results;
        for (size_t i = 0; i < r->timing_count; i++)
            if (r->timings[i].ns_per_element > 0 && !m->items[k].withheld[i])
                rows[(*count)++] = &r->timings[i];
    }
    qsort(rows, *count, sizeof *rows, by_line);
    return rows;
}

static size_t write_operation(const struct machines *m, struct doc *d,
                              const struct timing_result *const *rows, size_t first, size_t count)
{
    static const char *const own[] = {"kernel", "ISA", "n", "in", "threads", NULL};
    static const char *const group[] = {
        "clocks/element [95%]",   "ns/element", "% of limit", "max error",
        "build, rows x n; flags", NULL};
    const char *op = rows[first]->axes.group;
    size_t i = first;
    doc_section(d, op, op);
    machines_table(m, d, own, group);
    for (; i < count && !strcmp(rows[i]->axes.group, op); i++)
        if (i == first || by_line(&rows[i - 1], &rows[i])) write_line(m, d, rows[i]);
    doc_table_end(d);
    doc_section_end(d);
    return i;
}

void performance_kernels(const struct machines *m, struct doc *d)
{
    size_t count;
    const struct timing_result **rows = collect(m, &count);
    if (!rows) return;
    doc_text(d, "Below: per kernel, ISA and row length the fastest build on each machine (of those "
                "under policies that promise something, where there is one; --filter chooses "
                "others); clocks are core cycles, intervals of 95%% over fresh processes; %% of "
                "the least time that the named limit allows; max error over family `normal`, of "
                "that very build, in ulp, or in u = 2^-24 of the inputs' size where results come "
                "near zero (logsumexp, moments, layernorm); flags are what the measurement says "
                "against itself.");
    performance_beyond(m, d);
    for (size_t i = 0; i < count;) i = write_operation(m, d, rows, i, count);
    free(rows);
}
