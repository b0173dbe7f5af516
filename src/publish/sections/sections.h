/* The sections of reports, each written once and rendered as Markdown or HTML (render/doc.h). */
#ifndef ULPLAB_SECTIONS_H
#define ULPLAB_SECTIONS_H

#include "publish/render/query.h"
#include "publish/sections/report.h"

struct section {
    const char *id, *title;
    const char *nav;  /* its name in the page's navigation; NULL: none */
    bool in_markdown; /* report.md has it; the page has all */
    size_t (*count_records)(const struct report *); /* 0: there is nothing to show */
    void (*write)(const struct report *, struct doc *);
    /* Instead of these two: words, NULL where the query gives them; a query (publish/sql/), and how
     * its table's columns are shown. */
    const char *words, *query;
    const struct query_column *columns;
};
/* Is there anything to show? */
bool section_has_records(const struct section *, const struct report *);

extern const struct section sections[]; /* in their order; ends with a NULL id */

/* A question to the records (publish/sql), to be finalised; NULL where it cannot be asked, which
 * the document says. */
sqlite3_stmt *section_ask(const struct report *, struct doc *, const char *sql);

/* Nothing where there are no records. */
void section_write(const struct section *, const struct report *, struct doc *);

void section_answer(const struct report *, struct doc *);
void section_kernels(const struct report *, struct doc *);
void section_field(const struct report *, struct doc *);
size_t field_records(const struct report *);
void section_limits(const struct report *, struct doc *);
size_t limits_records(const struct report *);
void section_policies(const struct report *, struct doc *);
void section_isas(const struct report *, struct doc *);
size_t contraction_records(const struct report *);
void section_contraction(const struct report *, struct doc *);
size_t reach_records(const struct report *);
void section_reach(const struct report *, struct doc *);
/* Its table, shapes by operations; nothing where no limit is known. */
void reach_grid(const struct field *, struct doc *);
void section_speed(const struct report *, struct doc *);
void section_errors(const struct report *, struct doc *);
void section_variants(const struct report *, struct doc *);
void section_bits(const struct report *, struct doc *);
size_t divergence_records(const struct report *);
void section_divergence(const struct report *, struct doc *);
size_t invariant_records(const struct report *);
void section_invariant(const struct report *, struct doc *);
size_t bounds_records(const struct report *);
void section_bounds(const struct report *, struct doc *);
size_t searches_records(const struct report *);
void section_searches(const struct report *, struct doc *);
size_t scans_records(const struct report *);
void section_scans(const struct report *, struct doc *);
size_t vectors_records(const struct report *);
void section_vectors(const struct report *, struct doc *);
size_t ways_records(const struct report *);
void section_ways(const struct report *, struct doc *);
size_t cores_records(const struct report *);
/* Says how many of these records, which outlive runs, are of other builds than the run. */
void write_other_builds(const struct report *, const json_t *records, struct doc *);
void section_cores(const struct report *, struct doc *);
void section_cases(const struct report *, struct doc *);
void section_machine(const struct report *, struct doc *);
void section_missing(const struct report *, struct doc *);

#endif
