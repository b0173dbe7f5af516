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

enum { RECORD_LINE_MAX = 1 << 20 };
/* The record of one line, which is changed. */
int record_line_parse(char *line, size_t length, const char *path, int number, json_t **record,
                      struct error *e);
/* A record with `also` other ids and `size` fields: are that, with those counted in *unfolded, no
 * more than 2^26 values? */
int record_line_unfolds(size_t also, size_t size, size_t *unfolded, const char *path, int number,
                        struct error *e);
int record_line_too_long(const char *path, int number, struct error *e);

/* In the text of JSON: control characters in strings, escaped or not, become blanks, so that what
 * is printed of a stranger's records tells a terminal nothing. The lab writes none. */
void record_blank_controls(char *text, size_t size);

#endif
