// SPDX-License-Identifier: MIT
/* The database behind all reports (schema.sql): folders of results and runs of archives loaded into
 * memory, or an archive's file. */
#ifndef ULPLAB_DB_H
#define ULPLAB_DB_H

#include <jansson.h>

#include "model/lab_db.h"

/* Loads each place, a folder or PLACE.db:SELECTOR with all the runs that it names, into a new
 * database in memory; their runs have ids from 1 on, in the places' order. To be closed by
 * lab_close(). EXIT_BAD_INPUT on anything malformed. */
int db_read(struct lab_db *l, const char *const *places, size_t count, struct error *e);

/* Like db_read(), for one place, with the table `records` (records.sql). */
int db_read_whole(struct lab_db *l, const char *place, struct error *e);

/* Like db_read(), for the records of one file of each of `count` runs on a machine: a document's
 * head has it. */
int db_read_records(struct lab_db *l, const json_t *machine, const char *name,
                    const json_t *const *records, size_t count, struct error *e);

/* Opens an archive; LAB_WRITE makes it where it is not there. One of an earlier version is brought
 * up to date first, from its records, which needs leave to write to it. */
int db_open(struct lab_db *l, const char *path, enum lab_mode mode, struct error *e);

/* Copying runs from one database in memory into another. */

/* Adds the runs of a database that db_read() filled to another such database. Columns that refer to
 * rows of other tables (schema.sql) get these rows' new numbers. Data that pages of several
 * machines do not read are left out: from errors only each variant's first record and all of
 * error_sums, a table in the copy, are added. */
int db_copy(const struct lab_db *to, const struct lab_db *from, struct error *e);

#endif
