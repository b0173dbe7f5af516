// SPDX-License-Identifier: MIT
/* The name that a mistaken one in a query may stand for. */
#ifndef ULPLAB_MEANT_H
#define ULPLAB_MEANT_H

#include <stddef.h>

#include "model/lab_db.h"

/* Writes the column, of the tables that the query names, or the table that SQLite's message "no
 * such
 * .." may mean: the one that is spelt most alike, else a column whose comment in the schema has the
 * word. "" where there is none. */
void meant_name(const struct lab_db *l, const char *query, const char *message, char *name,
                size_t size);

#endif
