// SPDX-License-Identifier: MIT
/* Documents as SQL: the column names of a query say how its rows are shown, in Markdown, in HTML or
 * at a terminal. One statement is one part of the document, in order. The name of its first column
 * is the kind of the part:
 *
 *   words|FORMAT  a paragraph for each row        item|FORMAT     an item of a list
 *   note|FORMAT   a paragraph for each row that is not NULL; at a terminal its later lines are
 *                 indented by the value of the next column, by default 2
 *   heading|FORMAT                                page            a link: the file, its text
 *   data          the id of a table that the page's script fills
 *   chart         a chart that the script draws: its name, and its text for screen readers
 *   curve|FORMAT  width and height with margins of 2, the text for screen readers, twice a colour
 *                 and points "x,y x,y .." or empty texts; then the values for the caption's format
 *   fold|FORMAT   the parts up to `end` are folded in HTML, and left out in Markdown
 *   each          the parts up to `end`, for each row; its columns are the parameters :name
 *
 * data, chart, curve and fold only exist in HTML. Any other name makes the part a table, each
 * column of which is HEADING|FORMAT|EXPLANATION.
 *
 * A format is one of markup.h, or %P, a share of a limit. It takes as many columns as it has
 * conversions; these are not columns of the table. It may begin with {d2}, the class of report.css
 * that shades the cell; with {}, if its first column is that class; or with the column's properties
 * at a terminal, {>7!}: > for numbers (default: by the first row), ! to print the value once if it
 * is the same in every row, and a digit, the larger the sooner the column is left out of a narrow
 * terminal (without any digit the rightmost columns are). Without a format a cell is %s. A cell
 * whose first value is NULL is a dash; a column whose heading begins with ? is left out if all its
 * cells are.
 *
 * Columns with these names are not shown: row_op, row_cc (the page filters rows by them; row_op
 * +NAME: only shown if NAME is selected), style (of the table), tint (of a row at a terminal,
 * table.h), line (rows with the same value share a line), and across. The value of `across` is the
 * heading of the column after it: rows that are equal in the columns before it become one line, in
 * which their values stand side by side in the order of the column `place` after `across`. A row
 * with only NULL before `across` adds a column and no line. In HTML cells link to their row's
 * column `href`: the cells after `across`, or else the first cell of the line.
 *
 * :html is 1 in HTML, :drawn if scripts draw charts in it, :document in HTML and Markdown, :screen
 * if a terminal shows the text, :brief if it is to be short, else 0. */
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

/* Writes the document of a query. An error of SQLite is written in its place, so that readers see
 * it. */
void query_write(const struct doc *d, const struct lab_db *l, const char *sql);
/* Prints the document of a query for people. Returns an error if a statement fails. */
int query_print(const struct lab_db *l, const char *sql, bool brief, FILE *out, struct error *e);
/* Writes a section: an introduction ("": none) and its query's document; nothing if the document is
 * empty. Returns whether it wrote anything. */
bool query_section(const struct doc *d, const struct lab_db *l, const char *id, const char *title,
                   const char *words, const char *sql);
/* Returns whether any part of the query gives anything. */
bool query_has_rows(const struct lab_db *l, const char *sql, bool html);

#endif
