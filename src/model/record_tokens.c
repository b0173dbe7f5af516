// SPDX-License-Identifier: MIT
#include "model/record_tokens.h"

#include <emmintrin.h>

enum { DIGITS_MAX = 17, EXPONENT_DIGITS_MAX = 2 };

bool slice_is(struct slice s, const char *text)
{
    return strlen(text) == s.size && !memcmp(s.at, text, s.size);
}

bool slice_begins(struct slice s, const char *text)
{
    size_t length = strlen(text);
    return length <= s.size && !memcmp(s.at, text, length);
}

char token_peek(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r'))) {
        if (*c->at == '\v' || *c->at == '\f') return 0; /* no space in JSON */
        c->at++;
    }
    return c->at < c->end ? *c->at : '\0';
}

bool token_take(struct cursor *c, char wanted)
{
    if (token_peek(c) != wanted) return false;
    c->at++;
    return true;
}

/* Returns the first byte that does not stand for itself in a string: a quote, a backslash, a
 * control character, or one beyond ASCII, which is negative as a signed byte. */
static const char *behind_plain(const char *at, const char *end)
{
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
                  space = _mm_set1_epi8(' '), del = _mm_set1_epi8(0x7f);
    for (; end - at >= 16; at += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash));
        ends = _mm_or_si128(ends, _mm_or_si128(_mm_cmplt_epi8(v, space), _mm_cmpeq_epi8(v, del)));
        int mask = _mm_movemask_epi8(ends);
        if (mask) return at + __builtin_ctz((unsigned)mask);
    }
    while (at < end && (signed char)*at >= ' ' && *at != 0x7f && *at != '"' && *at != '\\') at++;
    return at;
}

/* Skips an escape that stands for a single character of its own. All others, of which some are no
 * JSON, are left to the parser. */
static bool skip_escape(struct cursor *c)
{
    if (c->end - c->at < 2 || !memchr("\"\\/bfnrt", c->at[1], 8)) return false;
    c->at += 2;
    return true;
}

bool token_string(struct cursor *c, struct slice *text, bool *plain)
{
    const char *begin = ++c->at;
    *plain = true;
    for (;;) {
        c->at = behind_plain(c->at, c->end);
        if (c->at == c->end) return false;
        if (*c->at == '"') break;
        if (*c->at != '\\' || !skip_escape(c)) return false;
        *plain = false;
    }
    *text = (struct slice){begin, (size_t)(c->at++ - begin)};
    return true;
}

static size_t skip_digits(struct cursor *c)
{
    const char *begin = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9') c->at++;
    return (size_t)(c->at - begin);
}

static bool next_is(const struct cursor *c, char a, char b)
{
    return c->at < c->end && (*c->at == a || *c->at == b);
}

bool token_number(struct cursor *c, bool *is_integer)
{
    if (next_is(c, '-', '-')) c->at++;
    const bool zero = next_is(c, '0', '0');
    size_t digits = skip_digits(c);
    if (!digits || digits > DIGITS_MAX || (zero && digits > 1)) return false;
    *is_integer = true;
    if (next_is(c, '.', '.')) {
        c->at++;
        *is_integer = false;
        if (!skip_digits(c)) return false;
    }
    if (next_is(c, 'e', 'E')) {
        c->at++;
        *is_integer = false;
        if (next_is(c, '+', '-')) c->at++;
        digits = skip_digits(c);
        if (!digits || digits > EXPONENT_DIGITS_MAX) return false;
    }
    return true;
}

bool token_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}
