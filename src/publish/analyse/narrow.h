// SPDX-License-Identifier: MIT
/* --filter on result files. */
#ifndef ULPLAB_NARROW_H
#define ULPLAB_NARROW_H

#include "publish/load/results.h"

/* Keeps the rows of the tables and the records of codegen.jsonl whose variant matches every
 * filter (model/filter.h). EXIT_USAGE where a filter is malformed or no row is left. */
int results_narrow(struct results *r, const char *const *filters, size_t count, struct error *e);

#endif
