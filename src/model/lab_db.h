// SPDX-License-Identifier: MIT
/* A lab's archive: runs in one SQLite database (docs/archive.md). PLACE.db:SELECTOR may take the
 * place of a folder of results. */
#ifndef ULPLAB_LAB_DB_H
#define ULPLAB_LAB_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/record_scan.h"

struct lab_db {
    sqlite3 *db;
    char path[1024];
};
enum lab_mode { LAB_READ, LAB_WRITE }; /* LAB_WRITE creates what does not exist */

enum { LAB_APPLICATION = 0x756c706c, LAB_VERSION = 6 }; /* in the file's header */

/* Opens an archive for its runs' files, which every version has in the same tables; publish/db/db.h
 * has db_open() for its figures. EXIT_BAD_INPUT if it is no archive, or one of a later version.
 * Several processes may have it open: one that finds it locked waits for up to a minute. */
int lab_open(struct lab_db *l, const char *path, struct error *e);
void lab_close(struct lab_db *l);
/* EXIT_BAD_INPUT if it is no archive, or one of a later version. */
int lab_check(const struct lab_db *l, struct error *e);
/* Opens a file that may be no archive yet. */
int lab_connect(struct lab_db *l, const char *path, enum lab_mode mode, struct error *e);

/* Fails with EXIT_BAD_INPUT and SQLite's message. */
int lab_failed(const struct lab_db *l, struct error *e);
/* Executes statements without results. */
int lab_execute(const struct lab_db *l, const char *sql, struct error *e);
/* Returns the integer that a statement gives; -1 if it fails or gives none. */
int64_t lab_number(const struct lab_db *l, const char *sql);
/* Returns the text that a statement gives, which the caller frees; NULL, with an error, if it fails
 * or gives none. */
char *lab_text(const struct lab_db *l, const char *sql, struct error *e);
/* Prepares a statement; the caller finalises *s. */
int lab_prepare(const struct lab_db *l, const char *sql, sqlite3_stmt **s, struct error *e);
/* Binds values by a format: i int64_t, d double (NaN is NULL), t text (NULL is NULL), s a const
 * struct slice * whose text stays until the statement has run. */
void lab_bind(sqlite3_stmt *s, const char *format, ...);
/* Steps a statement that returns no rows, and resets it for the next values. */
int lab_step(const struct lab_db *l, sqlite3_stmt *s, struct error *e);
/* Executes statements, each with the same values, of which it takes as many as it has parameters.
 * One that gives a row fails: the row is an exit code and the text of the error. */
int lab_run(const struct lab_db *l, struct error *e, const char *sql, const char *format, ...);

/* Returns whether the word is PLACE.db or PLACE.db:SELECTOR, and no folder. path receives PLACE.db;
 * the selector points into the word ("" if there is none). Both may be NULL. */
bool lab_is_place(const char *word, char *path, size_t size, const char **selector);

/* Lists the runs that a selector names, the oldest first; the caller frees. Its terms are separated
 * by commas and must all match: machine=SLUG (or a label), commit=HASH, date=2026-11-21, run=ID,
 * mode=quick, each by its beginning. A word alone is a run's id or a machine. `latest` keeps the
 * newest match. EXIT_USAGE if a term is unknown. */
int lab_select(const struct lab_db *l, const char *selector, int64_t **runs, size_t *count,
               struct error *e);
/* Finds the run that a selector names; EXIT_USAGE if it names none, or several. */
int lab_select_one(const struct lab_db *l, const char *selector, int64_t *run, struct error *e);

/* Reads a file of a run; the caller frees. *text is NULL if the run has no such file. */
int lab_read(const struct lab_db *l, int64_t run, const char *name, char **text, size_t *size,
             struct error *e);
/* lab_read() for PLACE.db:SELECTOR. */
int lab_read_place(const char *word, const char *name, char **text, size_t *size, struct error *e);

#endif
