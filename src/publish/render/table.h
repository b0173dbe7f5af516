// SPDX-License-Identifier: MIT
/* Aligned columns for people. If the terminal is too narrow, titles are wrapped, then the least
 * important columns are left out, then the gaps become narrower, then the widest text is cut. If
 * the output is not a terminal, nothing is left out. */
#ifndef ULPLAB_TABLE_H
#define ULPLAB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct terminal {
    size_t columns; /* 0: no limit */
    bool colour;
};
/* No limit and no colour where the stream is no terminal; NO_COLOR and TERM=dumb are honoured. */
struct terminal terminal_of(FILE *stream);

enum tint { TINT_NONE, TINT_GOOD, TINT_BAD, TINT_FAINT };

struct column {
    const char *title;
    bool right;      /* numbers */
    int dispensable; /* 0: always kept; among the others the highest is left out first */
};

enum { COLUMNS_MAX = 24 };

struct table {
    const struct column *columns;
    size_t count, rows, room;
    uint32_t gathered; /* a bit for each column that is printed once if it has the same value in
                          every row */
    char **cells;      /* rows x count, owned */
    enum tint *tints;
};

/* `columns` (at most COLUMNS_MAX) must outlive the table. */
void table_begin(struct table *t, const struct column *columns, size_t count);
/* `count` cells, copied. */
void table_add(struct table *t, enum tint tint, const char *const *cells);
/* Prints and frees. */
void table_end(struct table *t, FILE *out, struct terminal terminal);

/* Prose, wrapped between words at the terminal's width (100 without a terminal); lines after the
 * first are indented by `indent` spaces; ends with a line break. */
__attribute__((format(printf, 4, 5))) void write_prose(FILE *out, struct terminal terminal,
                                                       size_t indent, const char *format, ...);

/* Writes at most `lines` lines of a text; if there are more, the last line says so. */
void write_lines(FILE *out, const char *text, size_t lines);

#endif
