// SPDX-License-Identifier: MIT
/* Fields of CSV (RFC 4180). */
#ifndef ULPLAB_CSV_H
#define ULPLAB_CSV_H

#include <stdio.h>

/* Quoted where a comma, a quote or a line break is inside, quotes doubled. ' stands before what a
 * spreadsheet would calculate, the sign of a text. */
void csv_put(FILE *out, const char *text);

#endif
