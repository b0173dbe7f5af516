// SPDX-License-Identifier: MIT
/* summary.json: what a run found, short enough for git and made to be read as a diff. One line per
 * operation, storage type, ISA and shape (family `normal`), in the order of these:
 *   fastest, its ns_per_element with ci_low and ci_high (95%), percent_of_limit of limit, max_error
 *   in unit: the fastest variant that is advised (sql/facts.h), as in the
 *   report's tables of the field; null where none is within the bar, which the head has as `bar`;
 *   most_accurate and its least_error: of the same variants, the one with the least error (of
 *   equal ones the most conservative policy's);
 *   library, its library_ns_per_element and the ratio, the library's time over the variant's (above
 *   1: the lab is faster), between ratio_low and ratio_high: the fastest library at the same place.
 * What was not measured is null. Figures have five digits. */
#ifndef ULPLAB_SUMMARY_FILE_H
#define ULPLAB_SUMMARY_FILE_H

#include "model/lab_db.h"

/* Writes DIR/summary.json of a folder from the tables of facts_make(). */
int summary_write(const struct lab_db *l, const char *folder, struct error *e);

#endif
