/* The fastest variant at each shape beside the least time that the machine allows it. */
#include <math.h>

#include "publish/sections/sections.h"

size_t limits_records(const struct report *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->field.count; i++) count += r->field.cells[i].lab != NULL;
    return count;
}

static void write_row(struct doc *d, const struct timing_result *t)
{
    doc_row_of(d, t->axes.group, NULL);
    doc_cell(d, "%s", t->axes.group);
    doc_cell(d, "%s", t->axes.isa);
    doc_cell(d, "%zux%zu", t->rows, t->n);
    doc_cell(d, "%s", t->residency);
    doc_cell(d, "`%s` %s `%s`", t->axes.algorithm, t->axes.cc, t->axes.policy);
    doc_interval(d, 3, t->ns_per_element, t->low, t->high);
    doc_percent(d, t->percent_of_limit);
    doc_cell(d, "%s", t->limit[0] ? t->limit : "-");
    doc_cell(d, "%s", field_count_of(t).text);
    doc_cell(d, "%s", field_instructions_of(t).text);
    doc_row_end(d);
}

void section_limits(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation", "ISA",        "rows x n",   "in",
                                        "kernel",    "ns/element", "% of limit", "binds",
                                        "counted",   "per vector", NULL};
    doc_text(d,
             "The fastest variant at each shape, on one thread: its limit is the largest of the "
             "times that its instructions need on the ports that execute them (where the kernel "
             "counts them, else its FLOPs), and its compulsory bytes at the bandwidth measured on "
             "as many bytes; \"binds\" names the one, \"counted\" is what it was computed from, "
             "per element; \"per vector\" the kernel's own count of its instructions, all passes "
             "together, and the lanes of a vector.");
    doc_table(d, heads);
    for (size_t i = 0; i < r->field.count; i++)
        if (r->field.cells[i].lab) write_row(d, r->field.cells[i].lab);
    doc_table_end(d);
}
