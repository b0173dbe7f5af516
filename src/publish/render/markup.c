// SPDX-License-Identifier: MIT
#include "publish/render/markup.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void markup_text(FILE *out, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            fputs(entities[at - special], out);
        else
            putc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    }
}

void markup(FILE *out, const char *format, ...)
{
    va_list texts;
    va_start(texts, format);
    for (; *format; format++)
        if (*format != '%')
            putc(*format, out);
        else if (*++format == 's')
            markup_text(out, va_arg(texts, const char *));
        else
            abort(); /* numbers are fprintf's */
    va_end(texts);
}

static int put_json(const char *text, size_t size, void *context)
{
    FILE *out = context;
    for (size_t i = 0; i < size; i++)
        if (strchr("<>&", text[i]) && text[i])
            fprintf(out, "\\u%04x", (unsigned)text[i]);
        else
            putc(text[i], out);
    return 0;
}

void markup_json(FILE *out, const json_t *value)
{
    size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
    json_dump_callback(value, put_json, out, flags);
}

void markup_script(FILE *out, const char *source, size_t size)
{
    const char *at = source, *end = source + size, *open;
    while ((open = memchr(at, '<', (size_t)(end - at)))) {
        size_t left = (size_t)(end - open);
        bool closes = left >= 8 && !strncasecmp(open, "</script", 8);
        bool opens = left >= 4 && !memcmp(open, "<!--", 4);
        fwrite(at, 1, (size_t)(open + 1 - at), out);
        if (closes || opens) putc('\\', out);
        at = open + 1;
    }
    fwrite(at, 1, (size_t)(end - at), out);
}
