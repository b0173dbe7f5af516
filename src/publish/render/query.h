// SPDX-License-Identifier: MIT
/* Parts of a document as data: SQL, whose column names say how what it gives is shown, in Markdown,
 * in HTML or at a terminal. One statement is one part, in order. The name of its first column says
 * what it is:
 *
 *   words|FORMAT  a paragraph for each row        item|FORMAT     an item of a list
 *   note|FORMAT   a paragraph for each row that is not NULL; at a terminal its other lines stand
 *                 behind as many spaces as the next column says, 2 where there is none
 *   heading|FORMAT                                page            a link: the file, its text
 *   data          the id of a table of the script's
 *   chart         one of the script's: its name, and what a screen reader says
 *   curve|FORMAT  width and height with margins of 2, what a screen reader says, twice a colour
 *                 and points "x,y x,y .." or empty texts; then what the format of the caption takes
 *   fold|FORMAT   what follows up to `end` is folded away in HTML, and left out in Markdown
 *   each          what follows up to `end`, for each row, whose columns it has as :name
 *
 * (data, charts, curves and folds are HTML's alone), and of any other name, that it is a table,
 * each column of which is HEADING|FORMAT|EXPLANATION. A format is
 * markup.h's, or %P, a share of a limit; it takes as many columns as it has conversions, so that
 * those which follow are no columns of the table. It may begin with the class of report.css that
 * shades the cell, {d2}, or {}: the first column it takes is that; or with what a terminal does
 * with the column, {>7!}: > is for numbers (of which the first row tells, else), ! tells it once
 * where it is the same in every row, and a digit says how dispensable it is; where no column says
 * that, those on the right are. Without a format a cell is %s. A cell whose first value is NULL is
 * a dash; a heading that begins with ? is left out where all of them are. Columns of these names
 * stand in no cell: row_op, row_cc (by what the page filters the row; row_op +NAME: it shows only
 * where NAME is chosen), style (of the table), tint (of a row at a terminal, table.h), line (rows
 * of the same are one line), and across: its value is the heading of the columns behind it, which
 * stand side by side for rows that are equal before it, in the order of the column `place` behind
 * it; a row that has only NULL before it makes a column and no line. In HTML cells are links to
 * their row's column `href`: those behind `across`, or else the head of the line.
 *
 * :html is 1 in HTML, :drawn where scripts draw charts in it, :document there and in Markdown,
 * :screen where a terminal shows the text, :brief where it is to be short, else 0. */
#ifndef ULPLAB_RENDER_QUERY_H
#define ULPLAB_RENDER_QUERY_H

#include <stdbool.h>
#include <stdio.h>

#include "model/lab_db.h"
#include "publish/render/table.h"

struct doc {
    FILE *out; /* Markdown: a stream that ftell() knows, if most_bytes is set */
    bool html;
    bool still;      /* HTML: no script draws charts and tables of data, which are left out */
    long most_bytes; /* Markdown: beyond them rows and items are counted, not written; 0: none */
    const struct terminal *terminal; /* prose is wrapped and tables are aligned; NULL: for none */
    bool brief;
};

/* Writes what a query gives. An error of SQLite's is written in its place: it is a fault that
 * readers have to see. */
void query_write(const struct doc *d, const struct lab_db *l, const char *sql);
/* Prints what a query gives for people. Ends with an error where a statement fails. */
int query_print(const struct lab_db *l, const char *sql, bool brief, FILE *out, struct error *e);
/* A section with words before what its query gives, "" for none; nothing where that is nothing.
 * Returns whether it is something. */
bool query_section(const struct doc *d, const struct lab_db *l, const char *id, const char *title,
                   const char *words, const char *sql);
/* Returns whether any part of the query gives anything. */
bool query_has_rows(const struct lab_db *l, const char *sql, bool html);

#endif
