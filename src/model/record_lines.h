/* The lines of a file of records, for model/record.h: a stranger's file cannot take all memory. */
#ifndef ULPLAB_RECORD_LINES_H
#define ULPLAB_RECORD_LINES_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

/* Appends the record of each whole line to `records`; a folded row is unfolded again. A cut last
 * line is left out. path: what messages call the file. EXIT_BAD_INPUT with path:line where a line
 * is longer than 1 MiB, nested deeper than 2048 values, no object or otherwise malformed, or where
 * rows unfold into more than 2^26 values. */
int record_lines_read(FILE *in, const char *path, json_t *records, struct error *e);

/* In the text of JSON: control characters in strings, escaped or not, become blanks, so that what
 * is printed of a stranger's records tells a terminal nothing. The lab writes none. */
void record_blank_controls(char *text, size_t size);

#endif
