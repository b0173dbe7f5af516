/* The figures of a run as rows of an archive's tables. */
#ifndef ULPLAB_ARCHIVE_FIGURES_H
#define ULPLAB_ARCHIVE_FIGURES_H

#include "model/lab_db.h"
#include "publish/archive/rows.h"

/* Times, limits, case studies and scans of a run. */
int figures_of_run(const struct lab_db *l, int64_t run, struct rows *r, struct error *e);
/* Hashes of machine code, under the file codegen.jsonl that they come from. */
int figures_of_codegen(const struct lab_db *l, int64_t blob, struct rows *r, struct error *e);
/* Sums the errors up, which takes no database. */
void figures_sum(struct rows *r);
/* Errors of each variant over its cells, summed up, under the file accuracy.jsonl that they come
 * from. */
int figures_of_accuracy(const struct lab_db *l, int64_t blob, struct rows *r, struct error *e);

#endif
