// SPDX-License-Identifier: MIT
/* --map cc=gcc-12:gcc-13: builds of one compiler (policy, ISA) are read as those of another, so
 * that runs before and after a change of it compare (rename.sql). */
#ifndef ULPLAB_RENAME_H
#define ULPLAB_RENAME_H

#include "model/lab_db.h"

/* Makes temp.renamed(blob, variant, name) by maps such as "cc=gcc-12:gcc-13", in this order; empty
 * without any. EXIT_USAGE where one is malformed, or no build is concerned. */
int db_renames(const struct lab_db *l, const char *const *maps, size_t count, struct error *e);

/* Renames the records of a database in memory by temp.renamed. */
int db_rename(const struct lab_db *l, struct error *e);

#endif
