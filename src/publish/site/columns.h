// SPDX-License-Identifier: MIT
/* Tables of the pages' JSON: columns of equal length, their numbers in as few digits as are shown.
 */
#ifndef ULPLAB_COLUMNS_H
#define ULPLAB_COLUMNS_H

#include <jansson.h>

#include "model/lab_db.h"

/* null for what is no number. */
json_t *rounded_time(double ns);
json_t *rounded_error(double error);
json_t *rounded_percent(double percent);

/* Appends to a column of a table; makes the column with its first value. */
void column_put(json_t *table, const char *column, json_t *value);

/* {table: {column: values}} of queries, whose first column names the table. A column of texts that
 * recur is {list, at}: places in a list. */
json_t *columns_of_queries(const struct lab_db *l, const char *sql);

#endif
