// SPDX-License-Identifier: MIT
/* Loads files of records into the tables of a database, as load.sql describes. */
#ifndef ULPLAB_DB_LOAD_H
#define ULPLAB_DB_LOAD_H

#include "model/lab_db.h"
#include "publish/db/files.h"

struct db_loader;

/* whole: with the tables that an archive's file leaves out (schema.sql: [memory]). Close the loader
 * before its connection. */
int db_loader_open(const struct lab_db *l, bool whole, struct db_loader **loader, struct error *e);
void db_loader_close(struct db_loader *loader);
/* Adds parts to those of load.sql. The loader keeps names of statements, which a change of the
 * schema frees: tables are made before it is opened. */
int db_loader_add(struct db_loader *loader, const char *sql, struct error *e);

struct db_run {
    const char *folder;  /* its name in messages */
    const char *machine; /* the text of its machine.json, which is sound */
    const char *id;      /* where machine.json says none */
    const char *content; /* a hash of all its files */
    const struct kept_file *files;
    size_t count;
    bool vanished; /* set: a content without data was not there any more */
};

/* Adds a run, within the caller's transaction. Rows of a content that the database already has are
 * kept. EXIT_BAD_INPUT on malformed input. */
int db_load_run(struct db_loader *loader, struct db_run *run, int64_t *id, struct error *e);
/* Reads the files of an existing run into new tables. */
int db_load_again(struct db_loader *loader, const struct db_run *run, int64_t id, struct error *e);

#endif
