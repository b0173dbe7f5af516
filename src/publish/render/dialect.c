// SPDX-License-Identifier: MIT
#include "publish/render/dialect.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What each dialect escapes --------------------------------------------------------------- */

static char without_control(char c)
{
    return iscntrl((unsigned char)c) ? ' ' : c;
}

static void put_plain(FILE *out, const char *text, bool in_code)
{
    (void)in_code;
    for (; *text; text++) putc(without_control(*text), out);
}

static void put_as_it_is(FILE *out, char c)
{
    putc(c, out);
}

static void put_html_character(FILE *out, char c)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (entities[i].c == c) {
            fputs(entities[i].entity, out);
            return;
        }
    putc(without_control(c), out);
}

static void put_html(FILE *out, const char *text, bool in_code)
{
    (void)in_code;
    for (; *text; text++) put_html_character(out, *text);
}

/* A bar would end a cell. An underscore between letters is no emphasis. */
static void put_markdown(FILE *out, const char *text, bool in_code)
{
    const char *special = in_code ? "|" : "|<`*_\\";
    for (const char *at = text; *at; at++) {
        bool joins = *at == '_' && at != text && isalnum((unsigned char)at[-1]) &&
                     isalnum((unsigned char)at[1]);
        if (strchr(special, *at) && !joins) putc('\\', out);
        putc(in_code && *at == '`' ? '\'' : without_control(*at), out);
    }
}

static void put_markdown_own(FILE *out, char c)
{
    if (c == '|' || c == '<') putc('\\', out);
    putc(c, out);
}

#define DASH "\xe2\x80\x93"

const struct dialect dialect_markup = {
    .put_text = put_html, .put_own = put_as_it_is, .no_number = DASH};
const struct dialect dialect_html = {.put_text = put_html,
                                     .put_own = put_html_character,
                                     .code = {"<code>", "</code>"},
                                     .bold = {"<b>", "</b>"},
                                     .small = {"<small>", "</small>"},
                                     .no_number = DASH};
const struct dialect dialect_markdown = {.put_text = put_markdown,
                                         .put_own = put_markdown_own,
                                         .code = {"`", "`"},
                                         .bold = {"**", "**"},
                                         .small = {"", ""},
                                         .no_number = "-"};
const struct dialect dialect_plain = {.put_text = put_plain,
                                      .put_own = put_as_it_is,
                                      .code = {"", ""},
                                      .bold = {"", ""},
                                      .small = {"", ""},
                                      .no_number = DASH};

/* ---- The format ------------------------------------------------------------------------------ */

struct writing {
    const struct dialect *dialect;
    FILE *out;
    bool in_code, in_bold, in_small;
};

/* The conversion at `at`, copied into `how`: its last character says the type. Returns its length.
 */
static size_t conversion(const char *at, char how[16])
{
    size_t length = 1 + strcspn(at + 1, "smduceEfgG%");
    if (!at[length] || length + 1 >= 16) abort(); /* the attribute `format` has checked the rest */
    memcpy(how, at, length + 1);
    how[length + 1] = '\0';
    return length + 1;
}

static void put_string(const struct writing *w, const char *how, const char *text)
{
    char cut[256];
    if (!text) return;
    if (how[1] == '.') {
        snprintf(cut, sizeof cut, "%.*s", atoi(how + 2), text);
        text = cut;
    }
    w->dialect->put_text(w->out, text, w->in_code);
}

/* Only printf's own conversions reach it, and the attribute of the callers has checked those. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(const struct writing *w, const char *how, double value)
{
    if (isnan(value))
        fputs(w->dialect->no_number, w->out);
    else
        fprintf(w->out, how, value);
}

static size_t put_mark(struct writing *w, const char *at);

static void put_marked(struct writing *w, const char *text)
{
    while (*text) {
        const size_t mark = put_mark(w, text);
        if (!mark) w->dialect->put_own(w->out, *text);
        text += mark ? mark : 1;
    }
}

static void put_conversion(struct writing *w, const char *how, const struct dialect_value *value)
{
    const char type = how[strlen(how) - 1];
    if (type == 's' || type == 'c')
        put_string(w, how, value->text);
    else if (type == 'm')
        put_marked(w, value->text);
    else if (type == 'u' || type == 'd')
        fprintf(w->out, "%.0f", value->number);
    else
        put_number(w, how, value->number);
}
#pragma GCC diagnostic pop

static size_t put_if_mark(FILE *out, const char *at, const char *mark, bool *inside,
                          const char *open, const char *close)
{
    size_t length = strlen(mark);
    if (!open || strncmp(at, mark, length) != 0) return 0;
    fputs(*inside ? close : open, out);
    *inside = !*inside;
    return length;
}

/* Writes the markup for the mark at `at`. Returns the mark's length; 0 if there is none. */
static size_t put_mark(struct writing *w, const char *at)
{
    const struct dialect *d = w->dialect;
    size_t length = put_if_mark(w->out, at, "`", &w->in_code, d->code.open, d->code.close);
    if (!length) length = put_if_mark(w->out, at, "**", &w->in_bold, d->bold.open, d->bold.close);
    if (!length) length = put_if_mark(w->out, at, "~", &w->in_small, d->small.open, d->small.close);
    return length;
}

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

void dialect_put(const struct dialect *d, FILE *out, const char *format,
                 const struct dialect_value *values)
{
    struct writing w = {d, out, false, false, false};
    for (const char *at = format; *at;) {
        char how[16];
        size_t mark = *at == '%' ? 0 : put_mark(&w, at);
        if (*at == '%') {
            at += conversion(at, how);
            if (how[1] == '%')
                putc('%', out);
            else
                put_conversion(&w, how, values++);
        } else if (mark) {
            at += mark;
        } else {
            d->put_own(out, *at++);
        }
    }
}

void dialect_values(const char *format, va_list arguments, struct dialect_values *v)
{
    va_list left;
    size_t count = 0, letters = 0;
    va_copy(left, arguments);
    while ((format = strchr(format, '%'))) {
        char how[16];
        format += conversion(format, how);
        const char type = how[strlen(how) - 1];
        if (type == '%') continue;
        if (count == DIALECT_VALUES) abort();
        struct dialect_value *value = &v->items[count];
        *value = (struct dialect_value){"", 0};
        if (type == 's')
            value->text = va_arg(left, const char *);
        else if (type == 'u')
            value->number = (double)va_arg(left, size_t);
        else if (type == 'd')
            value->number = va_arg(left, int);
        else if (type == 'c')
            value->text = (v->letters[letters][0] = (char)va_arg(left, int), v->letters[letters++]);
        else
            value->number = va_arg(left, double);
        count++;
    }
    va_end(left);
}

void dialect_write(const struct dialect *d, FILE *out, const char *format, va_list arguments)
{
    struct dialect_values values = {.letters = {{0}}};
    dialect_values(format, arguments, &values);
    dialect_put(d, out, format, values.items);
}
