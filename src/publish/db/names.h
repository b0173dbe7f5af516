// SPDX-License-Identifier: MIT
/* Variants and shapes have numbers in a database. Its SQL looks them up, and gives new ones, by
 * variant(id) and shape(rows, n, threads, family). */
#ifndef ULPLAB_DB_NAMES_H
#define ULPLAB_DB_NAMES_H

#include "model/lab_db.h"

struct db_names;

/* Adds the functions to a connection that can be written to. The names are freed before it is
 * closed. */
int db_names_open(const struct lab_db *l, struct db_names **names, struct error *e);
void db_names_close(struct db_names *names);

/* Forgets another run's names. bare: the run's layernorm was measured without gamma and beta, which
 * is layernorm_bare today. */
void db_names_begin(struct db_names *names, bool bare);
/* Returns the number of the variant whose id this text begins with; 0 if there is none. log: its
 * record is of an earlier version's log_softmax. */
int64_t db_names_variant(struct db_names *names, struct slice id, bool log);
/* Returns whether there were cells of softmax since then that are log_softmax's today. */
bool db_names_had_log(const struct db_names *names);

/* --map cc=gcc-12:gcc-13: builds of one compiler (policy, ISA) are read as those of another, so
 * that runs before and after a change of it compare (rename.sql). */

/* Makes temp.renamed(blob, variant, name) by maps such as "cc=gcc-12:gcc-13", in this order; empty
 * without any. EXIT_USAGE where one is malformed, or no build is concerned. */
int db_renames(const struct lab_db *l, const char *const *maps, size_t count, struct error *e);

/* Renames the records of a database in memory by temp.renamed. */
int db_rename(const struct lab_db *l, struct error *e);

#endif
