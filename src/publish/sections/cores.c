/* All cores beside one, cell by cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/sections/chosen.h"
#include "publish/sections/sections.h"

static const double good_efficiency = 0.9;

static bool is_team(const struct report *r, const struct timing_result *t)
{
    return t->threads > 1 && timing_is_sound(r, t) &&
           !isnan(record_number(t->record, "efficiency"));
}

size_t cores_records(const struct report *r)
{
    return timings_count(r, is_team);
}

static void write_team(struct doc *d, const struct timing_result *t)
{
    double efficiency = record_number(t->record, "efficiency");
    bool short_of = record_number(t->record, "efficiency_high") < good_efficiency;
    doc_row_of(d, t->axes.group, NULL);
    doc_cell(d, "%s", t->axes.group);
    doc_cell(d, "%s", t->axes.isa);
    doc_cell(d, "%zux%zu", t->rows, t->n);
    doc_cell(d, "%s", t->residency);
    doc_cell(d, "%s %s %s", t->axes.algorithm, t->axes.cc, t->axes.policy);
    doc_cell(d, "%zu", t->threads);
    doc_cell(d, "%s", record_text(t->record, "team"));
    doc_interval(d, 4, t->ns_per_element, t->low, t->high);
    doc_shaded(d, short_of && !timing_moves_bytes(t) ? "d2" : "", "%.2f ~[%.2f, %.2f]~", efficiency,
               record_number(t->record, "efficiency_low"),
               record_number(t->record, "efficiency_high"));
    doc_cell(d, "%s", t->limit);
    doc_row_end(d);
}

void section_cores(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation",  "ISA",     "rows x n", "in",
                                        "kernel",     "threads", "shared",   "ns/element",
                                        "efficiency", "binds",   NULL};
    size_t count, moving = 0, well = 0, touching = 0, all = 0;
    const struct timing_result **teams = timings_chosen(r, is_team, &count), *last = NULL;
    if (!teams) return;
    for (size_t i = 0; i < count; i++) {
        if (last && timings_share_row(last, teams[i])) continue;
        last = teams[i];
        all++;
        if (timing_moves_bytes(last)) {
            moving++;
            continue;
        }
        well += record_number(last->record, "efficiency") >= good_efficiency;
        touching += record_number(last->record, "efficiency_high") >= good_efficiency;
    }
    doc_text(
        d,
        "The time of one thread over N times that of N, one to a core: of the fastest kernel "
        "that is advised, per operation, ISA and shape. Where a shape is every core's "
        "own, one core has its share of it. Shared: rows are, or one row is (to the bits of one "
        "thread), or some thread had none. The team is awake before the clock starts; what "
        "threads wait for each other within a row is in the time. Of %zu cells %zu are limited "
        "by bytes, which cores share; of the others %zu reach %.1f, and the intervals of %zu do.",
        all, moving, well, good_efficiency, touching);
    doc_table(d, heads);
    for (size_t i = 0; i < count; i++)
        if (!i || !timings_share_row(teams[i - 1], teams[i])) write_team(d, teams[i]);
    doc_table_end(d);
    free(teams);
}
