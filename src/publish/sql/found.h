// SPDX-License-Identifier: MIT
/* A command's measurements as a database: the text for people is a query (found_*.sql) over the
 * document that --json prints. */
#ifndef ULPLAB_FOUND_H
#define ULPLAB_FOUND_H

#include <jansson.h>

#include "base/error.h"
#include "model/lab_db.h"

/* Moves the document into tables of an open database (found.sql): each record is removed from its
 * list when its row is inserted, so that no record is in memory twice. */
int found_load(const struct lab_db *l, json_t *document, struct error *e);

/* Opens a database in memory and loads the document. To be closed by lab_close(). */
int found_open(struct lab_db *l, json_t *document, struct error *e);

#endif
