// SPDX-License-Identifier: MIT
#include "publish/render/markup.h"

#include <ctype.h>
#include <math.h>
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

/* ---- Formats in each dialect ---------------------------------------------------------------- */

enum { CODE, BOLD, SMALL, MARKS };
static const struct {
    const char *mark, *html[2], *markdown;
} marks[MARKS] = {
    [CODE] = {"`", {"<code>", "</code>"}, "`"},
    [BOLD] = {"**", {"<b>", "</b>"}, "**"},
    [SMALL] = {"~", {"<small>", "</small>"}, ""},
};

struct writing {
    FILE *out;
    enum dialect dialect;
    bool inside[MARKS];
};

/* In Markdown a bar would end a cell. An underscore between letters is no emphasis. */
static void dialect_put_text(const struct writing *w, const char *text)
{
    const char *special = w->dialect == PLAIN ? "" : w->inside[CODE] ? "|" : "|<`*_\\";
    if (w->dialect == HTML) markup_text(w->out, text);
    for (const char *at = text; *at && w->dialect != HTML; at++) {
        const bool joins = *at == '_' && at != text && isalnum((unsigned char)at[-1]) &&
                           isalnum((unsigned char)at[1]);
        if (strchr(special, *at) && !joins) putc('\\', w->out);
        if (iscntrl((unsigned char)*at))
            putc(' ', w->out);
        else
            putc(w->inside[CODE] && *special && *at == '`' ? '\'' : *at, w->out);
    }
}

/* Writes the mark or character at the beginning of the program's own text; returns its length. */
static size_t put_own(struct writing *w, const char *text)
{
    for (size_t i = 0; i < MARKS; i++) {
        const size_t length = strlen(marks[i].mark);
        if (strncmp(text, marks[i].mark, length) != 0) continue;
        if (w->dialect != PLAIN)
            fputs(w->dialect == HTML ? marks[i].html[w->inside[i]] : marks[i].markdown, w->out);
        w->inside[i] = !w->inside[i];
        return length;
    }
    if (w->dialect == HTML)
        markup_text(w->out, (char[]){*text, '\0'});
    else
        fprintf(w->out, "%s%c", w->dialect == MARKDOWN && strchr("|<", *text) ? "\\" : "", *text);
    return 1;
}

/* Copies the conversion at `at` into `how`; its last character is the type. Returns its length. */
static size_t conversion(const char *at, char how[16])
{
    const size_t length = 2 + strcspn(at + 1, "smdefg%");
    if (!at[length - 1] || length >= 16) abort();
    snprintf(how, 16, "%.*s", (int)length, at);
    return length;
}

/* Only the conversions of conversion() reach it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void dialect_put_value(struct writing *w, const char *how, const struct dialect_value *value)
{
    const char type = how[strlen(how) - 1];
    if (type == 's')
        dialect_put_text(w, value->text);
    else if (type == 'm')
        for (const char *at = value->text; *at;) at += put_own(w, at);
    else if (type == 'd')
        fprintf(w->out, "%.0f", value->number);
    else if (isnan(value->number))
        fputs(w->dialect == HTML ? "\xe2\x80\x93" : "-", w->out);
    else
        fprintf(w->out, how, value->number);
}
#pragma GCC diagnostic pop

size_t dialect_conversions(const char *format)
{
    char how[16];
    size_t count = 0;
    while ((format = strchr(format, '%'))) {
        format += conversion(format, how);
        count += how[1] != '%';
    }
    return count;
}

void dialect_put(FILE *out, enum dialect dialect, const char *format,
                 const struct dialect_value *values)
{
    struct writing w = {out, dialect, {false}};
    for (char how[16]; *format;)
        if (*format != '%') {
            format += put_own(&w, format);
        } else {
            format += conversion(format, how);
            if (how[1] == '%')
                putc('%', out);
            else
                dialect_put_value(&w, how, values++);
        }
}
