// SPDX-License-Identifier: MIT
/* Fields of CSV (RFC 4180). */
#ifndef ULPLAB_CSV_H
#define ULPLAB_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* Returns whether a spreadsheet would calculate the text. A number, also one of %a, is no formula.
 */
bool csv_is_formula(const char *text);
/* Quoted where a comma, a quote or a line break is inside, quotes doubled. */
void csv_put(FILE *out, const char *text);
/* A text of somebody else's: ' stands before what would be calculated, the sign of a text. */
void csv_put_text(FILE *out, const char *text);

#endif
