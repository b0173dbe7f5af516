// SPDX-License-Identifier: MIT
/* Files of records into the tables of a database, as load.sql says. */
#ifndef ULPLAB_DB_LOAD_H
#define ULPLAB_DB_LOAD_H

#include "model/lab_db.h"
#include "publish/db/files.h"

struct db_loader;

/* whole: with what an archive's file leaves out (schema.sql: [memory]). The loader is closed before
 * its connection. */
int db_loader_open(const struct lab_db *l, bool whole, struct db_loader **loader, struct error *e);
void db_loader_close(struct db_loader *loader);
/* Adds parts to those of load.sql. The loader keeps names of statements, which a change of the
 * schema frees: tables are made before it is opened. */
int db_loader_add(struct db_loader *loader, const char *sql, struct error *e);

struct db_run {
    const char *folder;  /* what messages call it */
    const char *machine; /* the text of its machine.json, which is sound */
    const char *id;      /* where machine.json says none */
    const char *content; /* a hash of all its files */
    const struct kept_file *files;
    size_t count;
    bool vanished; /* set: a content without data was not there any more */
};

/* Adds a run, within a transaction of the caller's. Rows of a content that is there already are
 * left. EXIT_BAD_INPUT on anything malformed. */
int db_load_run(struct db_loader *loader, struct db_run *run, int64_t *id, struct error *e);
/* Reads the files of a run that is there into tables that are new. */
int db_load_again(struct db_loader *loader, const struct db_run *run, int64_t id, struct error *e);

#endif
