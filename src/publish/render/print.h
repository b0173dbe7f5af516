// SPDX-License-Identifier: MIT
/* A text for people as data: SQL, whose column names say how what it gives is printed. One
 * statement is one part, in order. The name of its first column says what it is:
 *
 *   words   a paragraph for each row whose text is not NULL; its other lines behind as many spaces
 *           as the second column says, 2 where there is none
 *   table   a table, left out where there is no row: the tint of a row (render/table.h), then its
 *           texts. Their names are TITLE or TITLE|FORM, where > in the form is for numbers, ! for a
 *           column that is told once where it is the same in every row, and a digit how dispensable
 *           the column is
 *
 * Statements that give nothing may make tables for others. :screen is 1 where a terminal shows the
 * text, :brief where it is to be short, else 0. */
#ifndef ULPLAB_RENDER_PRINT_H
#define ULPLAB_RENDER_PRINT_H

#include "model/lab_db.h"
#include "publish/render/table.h"

int print_parts(const struct lab_db *l, const char *sql, bool brief, FILE *out,
                struct terminal terminal, struct error *e);

#endif
