// SPDX-License-Identifier: MIT
/* The pages' data: what queries give, as JSON. */
#ifndef ULPLAB_COLUMNS_H
#define ULPLAB_COLUMNS_H

#include <jansson.h>

#include "model/lab_db.h"

/* {table: {column: values}}: the name of a statement's first column is the table, those behind it
 * are columns; statements of one table add theirs. NAME:json is what its texts have as JSON. Texts
 * that recur, and JSON, are {list, at}: places in a list. An infinite figure is "inf".
 *
 * Statements may ask time_digits(x), error_digits(x), percent_digits(x) and five_digits(x): x in as
 * few digits as the pages show it in. */
json_t *columns_of_queries(const struct lab_db *l, const char *sql);

#endif
