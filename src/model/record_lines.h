// SPDX-License-Identifier: MIT
/* The lines of a file of records, for model/record.h. A stranger's file cannot take all memory. */
#ifndef ULPLAB_RECORD_LINES_H
#define ULPLAB_RECORD_LINES_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

/* Appends the record of each whole line to `records`; a folded row is unfolded again. A cut last
 * line is left out. path: the file's name in messages. EXIT_BAD_INPUT with path:line if a line is
 * longer than 1 MiB, nested deeper than 2048 values, no object or otherwise malformed, or if rows
 * unfold into more than 2^26 values. */
int record_lines_read(FILE *in, const char *path, json_t *records, struct error *e);

enum { RECORD_LINE_MAX = 1 << 20 };
/* Parses the record of one line, which is changed. */
int record_line_parse(char *line, size_t length, const char *path, int number, json_t **record,
                      struct error *e);
/* Checks that a record with `also` other ids and `size` fields unfolds, with those counted in
 * *unfolded, into no more than 2^26 values. */
int record_line_unfolds(size_t also, size_t size, size_t *unfolded, const char *path, int number,
                        struct error *e);
int record_line_too_long(const char *path, int number, struct error *e);

/* Replaces control characters in strings of JSON text, escaped or not, by blanks, so that printing
 * a stranger's records cannot command a terminal. The lab writes none. */
void record_blank_controls(char *text, size_t size);

#endif
