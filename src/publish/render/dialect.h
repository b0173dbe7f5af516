// SPDX-License-Identifier: MIT
/* A printf whose text cannot become markup, for Markdown, HTML and a terminal: the format is the
 * program's own and may say `code`, **bold** and ~small~, what its conversions bring comes from
 * records and is written as text. */
#ifndef ULPLAB_DIALECT_H
#define ULPLAB_DIALECT_H

#include <stdbool.h>
#include <stdio.h>

enum dialect { MARKDOWN, HTML, PLAIN }; /* PLAIN: without marks */

/* The value of a conversion: text for %s, a number for the others. %m is text in which marks count:
 * the program's own, without words of records. */
struct dialect_value {
    const char *text;
    double number;
};
/* Returns the number of values that a format takes. */
size_t dialect_conversions(const char *format);
/* Conversions: %s %m %d and %e %f %g with flags and precision (NaN is a dash); %% as ever. Aborts
 * on any other. */
void dialect_put(FILE *out, enum dialect, const char *format, const struct dialect_value *values);

#endif
