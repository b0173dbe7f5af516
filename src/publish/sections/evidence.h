/* The sections of both reports that say what the figures rest on and come to: how near to the
 * limit, what contraction is worth, who agrees bit for bit and what bits depend on, measured
 * against proven bounds, the worst inputs found by search, scans of every input, the oracle's
 * certificate, and what equal bits everywhere cost. Each writes nothing where there are no records.
 */
#ifndef ULPLAB_EVIDENCE_H
#define ULPLAB_EVIDENCE_H

#include "publish/analyse/choice.h"
#include "publish/render/doc.h"
#include "publish/analyse/field.h"
#include "publish/load/results.h"
#include "publish/analyse/summary.h"

struct evidence {
    const struct results *r;
    const struct summaries *s;
    const struct present *present;
};

struct evidence_section {
    const char *id, *title;
    size_t (*records)(const struct evidence *); /* 0: nothing to show */
    void (*write)(const struct evidence *, const struct doc *);
};
extern const struct evidence_section evidence_sections[]; /* ends with a NULL id */
void evidence_write(const struct evidence *, const struct doc *);

size_t reach_records(const struct evidence *);
void reach_write(const struct evidence *, const struct doc *);
/* Its two tables: shapes by operations, and what was wanted. Nothing where there is nothing. */
void reach_grid(const struct field *, const struct doc *);
void reach_targets(const struct field *, const struct doc *);
size_t contraction_records(const struct evidence *);
void contraction_write(const struct evidence *, const struct doc *);
size_t divergence_records(const struct evidence *);
void divergence_write(const struct evidence *, const struct doc *);
size_t bounds_records(const struct evidence *);
void bounds_write(const struct evidence *, const struct doc *);
size_t searches_records(const struct evidence *);
void searches_write(const struct evidence *, const struct doc *);
size_t scans_records(const struct evidence *);
void scans_write(const struct evidence *, const struct doc *);
size_t certificate_records(const struct evidence *);
void certificate_write(const struct evidence *, const struct doc *);
size_t ways_records(const struct evidence *);
void ways_write(const struct evidence *, const struct doc *);
size_t cores_records(const struct evidence *);
void cores_write(const struct evidence *, const struct doc *);
size_t invariant_records(const struct evidence *);
void invariant_write(const struct evidence *, const struct doc *);

#endif
