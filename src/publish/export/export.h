// SPDX-License-Identifier: MIT
/* export: a folder of results in the formats of other tools. */
#ifndef ULPLAB_EXPORT_H
#define ULPLAB_EXPORT_H

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

#endif
