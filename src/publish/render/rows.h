// SPDX-License-Identifier: MIT
/* Rows of a query as JSON. A column's name gives its type: with a dot a field of an object,
 * NAME:bool a boolean, NAME:json a text that is JSON, NAME:object an object that fields with a dot
 * fill, or null; NAME? is left out if it is NULL. An infinite figure is null. */
#ifndef ULPLAB_RENDER_ROWS_H
#define ULPLAB_RENDER_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "model/lab_db.h"

/* A document of several queries. The name of each query's first column says what its rows are: "x"
 * elements of a list of that name, to which several queries may add; "x{}" one object, or null
 * without a row; "" fields of the document itself. The later columns are the fields. If `machine`
 * is an object, the document begins with the head of record_document(). NULL with an error. */
json_t *rows_document(const struct lab_db *l, const char *sql, struct error *e);

/* Sets *all to the data of a page, {table: {column: values}}: the name of a statement's first
 * column is the table, later ones are columns; several statements may add columns to one table.
 * Columns of repeated texts or JSON are {list, at}: indices into a list that has each value once.
 * An infinite figure is "inf". If a statement fails, *all is NULL. */
int columns_json(const struct lab_db *l, const char *sql, json_t **all, struct error *e);

/* A JSON string; "?" for a name that was cut inside a character. */
json_t *json_text(const char *text);

/* Returns the words as JSON, ["a", "b"], which the caller frees. */
char *json_words(const char *const *words, size_t count);

/* Fields of CSV (RFC 4180). */

/* Quoted if it contains a comma, a quote or a line break, with quotes doubled. A ' is put before a
 * text that a spreadsheet would calculate. */
void csv_put(FILE *out, const char *text);

#endif
