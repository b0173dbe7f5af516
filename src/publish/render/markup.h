// SPDX-License-Identifier: MIT
/* Writing HTML whose text comes from records: nothing of a record is ever markup or script. */
#ifndef ULPLAB_MARKUP_H
#define ULPLAB_MARKUP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Escapes a text; control characters are blanks. */
void markup_text(FILE *out, const char *text);
/* fprintf for HTML: the format is markup; its conversions, all %s, insert text, which is escaped.
 */
void markup(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* JSON for the inside of a <script type="application/json">: ASCII alone, < > & as \u escapes, so
 * that neither "</script>", "<!--" nor U+2028 can occur. */
void markup_json(FILE *out, const json_t *value);

/* A JavaScript source for the inside of a <script>: "</script" and "<!--", which can only stand in
 * its strings, patterns and comments there, are spelt so that they end nothing. */
void markup_script(FILE *out, const char *source, size_t size);

/* A printf whose arguments cannot become markup, for Markdown, HTML and a terminal: the format is
 * the program's own and may contain `code`, **bold** and ~small~; the arguments come from records
 * and are escaped. */

enum dialect { MARKDOWN, HTML, PLAIN }; /* PLAIN: without marks */

/* The value of a conversion: text for %s, a number for the others. %m is text with marks: the
 * program's own, without text from records. */
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
