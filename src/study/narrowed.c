// SPDX-License-Identifier: MIT
#include "study/narrowed.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The words of a type in the place of wider ones. */
struct narrow {
    const char *type, *suffix, *limit;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the length of what is copied as it stands: a comment, a string, an #include line. */
static size_t untouched(const char *at)
{
    if (at[0] == '/' && at[1] == '/') return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? (size_t)(end - at) + 2 : strlen(at);
    }
    if (*at == '"' || *at == '\'') {
        size_t i = 1;
        while (at[i] && at[i] != *at) i += at[i] == '\\' && at[i + 1] ? 2 : 1;
        return at[i] ? i + 1 : i;
    }
    if (*at != '#') return 0;
    const char *word = at + 1 + strspn(at + 1, " \t");
    return strncmp(word, "include", 7) ? 0 : strcspn(at, "\n");
}

/* Writes a number: one with a fraction or an exponent in the type. Returns its length. */
static size_t put_number(const struct narrow *to, const char *at, FILE *out)
{
    size_t length = 0;
    const bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    bool real = false;
    for (; is_letter(at[length]) || at[length] == '.'; length++) {
        const bool exponent = strchr(hex ? "pP" : "eE", at[length]) != NULL;
        real = real || exponent || at[length] == '.';
        if (exponent && (at[length + 1] == '+' || at[length + 1] == '-')) length++;
    }
    size_t digits = length;
    while (real && digits && strchr("lLqQfF", at[digits - 1]) && !(hex && !strpbrk(at, "pP")))
        digits--;
    fprintf(out, "%.*s%s", (int)digits, at, real ? to->suffix : "");
    return length;
}

static bool is_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && !strncmp(word, other, length);
}

/* Returns the length of the name of a libm function that a word is, for any of its types; 0: it is
 * none. */
static size_t libm_name(const char *word, size_t length)
{
    static const char *const names[] = {
        "exp",  "exp2",  "expm1", "log",  "log2",  "log1p", "log10", "sqrt",      "cbrt",
        "fabs", "fmax",  "fmin",  "fma",  "pow",   "hypot", "sin",   "cos",       "tan",
        "sinh", "cosh",  "tanh",  "asin", "acos",  "atan",  "atan2", "erf",       "erfc",
        "ceil", "floor", "trunc", "rint", "round", "fmod",  "ldexp", "nearbyint", "copysign"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (is_word(word, length, names[i]) ||
            (length == n + 1 && !strncmp(word, names[i], n) && strchr("lq", word[n])))
            return n;
    }
    return 0;
}

/* Writes a word, or two; returns their length. */
static size_t put_word(const struct narrow *to, const char *at, FILE *out)
{
    static const char *const wide[] = {"double", "__float128", "_Float128", "_Float64x"};
    size_t length = 0;
    while (is_letter(at[length])) length++;
    const char *next = at + length + strspn(at + length, " \t\n");
    if (is_word(at, length, "long") && !strncmp(next, "double", 6) && !is_letter(next[6]))
        return fputs(to->type, out), (size_t)(next - at) + 6;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (is_word(at, length, wide[i])) return fputs(to->type, out), length;
    const size_t name = *next == '(' ? libm_name(at, length) : 0;
    const size_t limit = !strncmp(at, "DBL_", 4) ? 4 : !strncmp(at, "LDBL_", 5) ? 5 : 0;
    if (name)
        fprintf(out, "%.*s%s", (int)name, at, to->suffix);
    else
        fprintf(out, "%s%.*s", limit ? to->limit : "", (int)(length - limit), at + limit);
    return length;
}

char *narrowed_text(const char *text, bool to_double)
{
    const struct narrow to =
        to_double ? (struct narrow){"double", "", "DBL_"} : (struct narrow){"float", "f", "FLT_"};
    char *narrowed = NULL;
    size_t size, length;
    FILE *out = memory_text(&narrowed, &size);
    for (const char *at = text; *at; at += length) {
        length = untouched(at);
        if (length)
            fwrite(at, 1, length, out);
        else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
            length = put_number(&to, at, out);
        else if (is_letter(*at))
            length = put_word(&to, at, out);
        else
            length = 1, putc(*at, out);
    }
    memory_text_close(out);
    return narrowed;
}
