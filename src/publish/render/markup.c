// SPDX-License-Identifier: MIT
#include "publish/render/markup.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "publish/render/dialect.h"

void markup(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dialect_write(&dialect_markup, out, format, arguments);
    va_end(arguments);
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
