// SPDX-License-Identifier: MIT
/* Rows of a query as JSON. By the name of a column: one with a dot is a field of an object,
 * NAME:bool a truth, NAME:json what a text has as JSON, NAME:object an object that fields with a
 * dot fill, or null; NAME? is left out where it is NULL. A figure that is infinite is null. */
#ifndef ULPLAB_RENDER_ROWS_H
#define ULPLAB_RENDER_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "model/lab_db.h"

/* A document of several queries: the name of the first column of each says what its rows are, as
 * the columns behind it have them: "x" a list of that name, to which several queries may add, "x{}"
 * one object, or null where there is no row, "" fields of the document itself. Where `machine` is
 * an object, the head of record_document() stands before. NULL with an error. */
json_t *rows_document(const struct lab_db *l, const char *sql, struct error *e);

/* Sets *all to the data of a page, {table: {column: values}}: the name of a statement's first
 * column is the table, those behind it are columns; statements of one table add theirs. Columns of
 * texts or JSON that recur are {list, at}: places in a list that has each value once. An infinite
 * figure is "inf". Where a statement fails, *all is NULL. */
int columns_json(const struct lab_db *l, const char *sql, json_t **all, struct error *e);

/* A JSON string; "?" for a name that was cut inside a character. */
json_t *json_text(const char *text);

/* Returns the words as JSON, ["a", "b"], which the caller frees. */
char *json_words(const char *const *words, size_t count);

/* Fields of CSV (RFC 4180). */

/* Quoted where a comma, a quote or a line break is inside, quotes doubled. ' stands before what a
 * spreadsheet would calculate, the sign of a text. */
void csv_put(FILE *out, const char *text);

#endif
