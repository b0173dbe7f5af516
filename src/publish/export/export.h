// SPDX-License-Identifier: MIT
/* export: a folder of results in the formats of other tools. */
#ifndef ULPLAB_EXPORT_H
#define ULPLAB_EXPORT_H

#include <jansson.h>
#include <stdio.h>

#include "model/lab_db.h"

/* Writes what db_read_whole() has loaded. "gbench": google-benchmark JSON of the timed cells, as
 * its consumers read it (docs/measurement.md): one iteration row per process, so that compare.py's
 * U test is over processes; real_time is one call over all rows of the cell; no aggregates, no
 * counters of bytes or items. "csv": RFC 4180, one line per record of accuracy.jsonl and
 * timing.jsonl; the machine, the variant's axes, the run and its compiler first, then the other
 * columns by name, so that those of two folders stand in one order; nested fields as outer.inner,
 * lists with spaces between; a text that a spreadsheet would calculate has ' before it. "jsonl":
 * the same records as flat JSON objects; lists of numbers or words stay lists. "openmetrics":
 * OpenMetrics 1.0, gauges of times in seconds and errors in ULP. The command's fifth format,
 * "archive", packs the records themselves (model/record_archive.h). EXIT_USAGE for another format,
 * EXIT_BAD_INPUT where `out` cannot be written. */
int export_write(const struct lab_db *l, const char *format, FILE *out, struct error *e);

/* JSON Schema (draft 2020-12) of documents, files and records, from schemas.txt. */

/* Writes the names of all schemas, one per line, followed by a tab and a description. */
void schema_list(FILE *out);
/* Returns the schema of that name, which the caller owns; NULL where there is none. It needs no
 * other file: parts that it refers to are its $defs. */
json_t *schema_of(const char *name);

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

/* Writes DIR/summary.json of a folder from the tables of facts_make(). */
int summary_write(const struct lab_db *l, const char *folder, struct error *e);

#endif
