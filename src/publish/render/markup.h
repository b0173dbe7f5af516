// SPDX-License-Identifier: MIT
/* Writing HTML whose text comes from records: nothing of a record is ever markup or script. */
#ifndef ULPLAB_MARKUP_H
#define ULPLAB_MARKUP_H

#include <jansson.h>
#include <stdio.h>

/* Escapes a text; control characters are blanks. */
void markup_text(FILE *out, const char *text);
/* fprintf for HTML: the format is markup, what its conversions, all of them %s, bring is text. */
void markup(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* JSON for the inside of a <script type="application/json">: ASCII alone, < > & as \u escapes, so
 * that neither "</script>", "<!--" nor U+2028 can occur. */
void markup_json(FILE *out, const json_t *value);

/* A JavaScript source for the inside of a <script>: "</script" and "<!--", which can only stand in
 * its strings, patterns and comments there, are spelt so that they end nothing. */
void markup_script(FILE *out, const char *source, size_t size);

#endif
