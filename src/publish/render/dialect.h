// SPDX-License-Identifier: MIT
/* A printf whose text cannot become markup: the format is the program's own and may say `code`,
 * **bold** and ~small~, what its conversions bring comes from records and is written as text. */
#ifndef ULPLAB_DIALECT_H
#define ULPLAB_DIALECT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct dialect {
    void (*put_text)(FILE *out, const char *text, bool in_code); /* escaped */
    void (*put_own)(FILE *out, char c); /* a character of the format itself */
    /* The replacements of the format's marks; NULL: they are characters like others. */
    struct {
        const char *open, *close;
    } code, bold, small;
    const char *no_number; /* for a floating-point number that is NaN */
};

/* The value of a conversion: text for %s and %c, a number for the others. %m, in formats of queries
 * only, is text in which marks count: the program's own, without words of records. */
struct dialect_value {
    const char *text;
    double number;
};
enum { DIALECT_VALUES = 24 };
struct dialect_values {
    struct dialect_value items[DIALECT_VALUES];
    char letters[DIALECT_VALUES][2];
};
/* Returns the number of values that a format takes. */
size_t dialect_conversions(const char *format);
/* The arguments of a format. */
void dialect_values(const char *format, va_list arguments, struct dialect_values *v);
void dialect_put(const struct dialect *d, FILE *out, const char *format,
                 const struct dialect_value *values);

/* Conversions: %s (NULL is nothing; a precision cuts it) %d %zu %c and %e %f %g with flags and
 * precision; %% as ever. Aborts on any other. */
void dialect_write(const struct dialect *d, FILE *out, const char *format, va_list arguments);

/* Markup in which only text is escaped, running HTML, Markdown, and no markup at all. */
extern const struct dialect dialect_markup, dialect_html, dialect_markdown, dialect_plain;

#endif
