// SPDX-License-Identifier: MIT
/* Runs of one database in memory into another one. */
#ifndef ULPLAB_DB_COPY_H
#define ULPLAB_DB_COPY_H

#include "model/lab_db.h"

/* Adds the runs of a database that db_read() has filled to another such. Columns that name rows of
 * other tables, which schema.sql says, get the numbers that these have there. What pages of several
 * machines do not read is left out: of errors come each variant's first record and all of
 * error_sums, which is a table there. */
int db_copy(const struct lab_db *to, const struct lab_db *from, struct error *e);

#endif
