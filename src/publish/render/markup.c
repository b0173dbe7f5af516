#include "publish/render/markup.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char dash[] = "\xe2\x80\x93";

static void put_text(FILE *out, const char *text)
{
    for (; text && *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            putc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
        }
    }
}

/* Only printf's own conversions reach it, and the attribute of markup() has checked those. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(FILE *out, const char *how, double value)
{
    if (isnan(value))
        fputs(dash, out);
    else
        fprintf(out, how, value);
}

void markup(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            putc(*at, out);
            continue;
        }
        char how[16] = "";
        size_t length = 1 + strcspn(at + 1, "sduceEfgG%");
        if (!at[length] || length + 1 >= sizeof how) abort(); /* not of our own making */
        memcpy(how, at, length + 1);
        at += length;
        if (*at == 's')
            put_text(out, va_arg(args, const char *));
        else if (*at == 'u')
            fprintf(out, how, va_arg(args, size_t));
        else if (*at == 'd' || *at == 'c')
            fprintf(out, how, va_arg(args, int));
        else if (*at == '%')
            putc('%', out);
        else
            put_number(out, how, va_arg(args, double));
    }
    va_end(args);
}
#pragma GCC diagnostic pop

void markup_ulp(FILE *out, double value)
{
    if (value < 1e4)
        markup(out, "%.3g", value);
    else
        markup(out, "%.1e", value);
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
    /* Six digits: a picture needs no more, and this is most of the file. */
    size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6);
    json_dump_callback(value, put_json, out, flags);
}

void markup_script(FILE *out, const char *source, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool closes = size - i >= 8 && !strncasecmp(source + i, "</script", 8);
        bool opens = size - i >= 4 && !memcmp(source + i, "<!--", 4);
        putc(source[i], out);
        if (closes || opens) putc('\\', out);
    }
}
