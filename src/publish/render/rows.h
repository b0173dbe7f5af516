// SPDX-License-Identifier: MIT
/* Rows of a query as JSON. */
#ifndef ULPLAB_RENDER_ROWS_H
#define ULPLAB_RENDER_ROWS_H

#include <jansson.h>

#include "model/lab_db.h"

/* An object by column: a name with a dot is a field of an object, NAME:bool a truth, NAME:json what
 * a text has as JSON; a figure that is infinite is null. */
json_t *row_json(sqlite3_stmt *s);
/* All rows of the query, an array; NULL with an error. */
json_t *rows_json(const struct lab_db *l, const char *sql, struct error *e);

#endif
