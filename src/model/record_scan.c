#include "model/record_scan.h"

#include <emmintrin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KEYS_MAX = 48, DEPTH_MAX = 12, DIGITS_MAX = 17, EXPONENT_DIGITS_MAX = 2 };

bool slice_is(struct slice s, const char *text)
{
    return strlen(text) == s.size && !memcmp(s.at, text, s.size);
}

bool slice_begins(struct slice s, const char *text)
{
    size_t length = strlen(text);
    return length <= s.size && !memcmp(s.at, text, length);
}

static bool same(struct slice a, struct slice b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

/* ---- Tokens ------------------------------------------------------------------------------------
 */

struct cursor {
    const char *at, *end;
    int depth;
};

/* Behind spaces; 0 at the end. */
static char peek(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r'))) {
        if (*c->at == '\v' || *c->at == '\f') return 0; /* no space in JSON */
        c->at++;
    }
    return c->at < c->end ? *c->at : '\0';
}

/* Takes the character if it comes next. */
static bool take(struct cursor *c, char wanted)
{
    if (peek(c) != wanted) return false;
    c->at++;
    return true;
}

/* The first byte that does not stand for itself in a string: a quote, a backslash, a control
 * character, or one beyond ASCII, which is negative as a signed byte. */
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

/* An escape that stands for one character of its own. The others, of which some are no JSON, are
 * the parser's. */
static bool skip_escape(struct cursor *c)
{
    if (c->end - c->at < 2 || !memchr("\"\\/bfnrt", c->at[1], 8)) return false;
    c->at += 2;
    return true;
}

/* The text between quotes, at the first of them; *plain: without escapes. */
static bool scan_string(struct cursor *c, struct slice *text, bool *plain)
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

/* A number so short that it is surely finite, and an integer one of 64 bits. */
static bool scan_number(struct cursor *c, bool *is_integer)
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

static bool scan_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

/* ---- Values ------------------------------------------------------------------------------------
 */

enum kind { OTHER, TRUE, TEXT, ESCAPED, REAL, INTEGER };
struct value {
    enum kind kind;
    struct slice text; /* of a text without its quotes; of a number, where it begins */
};

static bool scan_object(struct cursor *c, struct record_view *v);
static bool scan_value(struct cursor *c, struct value *value);

/* Skips its values, or takes them as texts of `also`. */
static bool scan_array(struct cursor *c, struct record_view *also)
{
    struct value value;
    if (!take(c, '[')) return false;
    if (take(c, ']')) return true;
    do {
        if (!scan_value(c, &value)) return false;
        if (!also) continue;
        if (value.kind != TEXT) return false;
        if (also->also_count == also->also_room) {
            also->also_room = 2 * also->also_room + 64;
            also->also = memory_grow(also->also, also->also_room * sizeof *also->also);
        }
        also->also[also->also_count++] = value.text;
    } while (take(c, ','));
    return take(c, ']');
}

static bool scan_nested(struct cursor *c)
{
    if (++c->depth > DEPTH_MAX) return false;
    bool good = *c->at == '{' ? scan_object(c, NULL) : scan_array(c, NULL);
    c->depth--;
    return good;
}

static bool scan_text(struct cursor *c, struct value *value)
{
    bool plain;
    if (!scan_string(c, &value->text, &plain)) return false;
    value->kind = plain ? TEXT : ESCAPED;
    return true;
}

static bool scan_value(struct cursor *c, struct value *value)
{
    bool is_integer;
    const char first = peek(c);
    *value = (struct value){OTHER, {c->at, 0}};
    if (first == '{' || first == '[') return scan_nested(c);
    if (first == '"') return scan_text(c, value);
    if (first == 'f' || first == 'n') return scan_word(c, first == 'f' ? "false" : "null");
    if (first == 't') {
        value->kind = TRUE;
        return scan_word(c, "true");
    }
    if (!scan_number(c, &is_integer)) return false;
    value->kind = is_integer ? INTEGER : REAL;
    return true;
}

/* ---- Fields ------------------------------------------------------------------------------------
 */

static const struct scan_field no_field = {{"", 0}, NAN, false, false};

static bool is_repeated(const struct slice *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (same(keys[i], keys[count])) return true;
    return false;
}

/* Keeps a value that is asked for; a number becomes one only then. */
static bool keep(struct record_view *v, struct slice key, const struct value *value)
{
    size_t i = 0;
    while (i < v->key_count && !same(v->keys[i], key)) i++;
    if (i == v->key_count) return true;
    struct scan_field *f = &v->fields[i];
    if (value->kind == TEXT) f->text = value->text;
    if (value->kind == REAL || value->kind == INTEGER) f->number = strtod(value->text.at, NULL);
    f->is_true = value->kind == TRUE;
    f->is_integer = value->kind == INTEGER;
    return value->kind != ESCAPED;
}

/* One key and its value. */
static bool scan_member(struct cursor *c, struct record_view *v, struct slice *keys, size_t count)
{
    struct value value;
    bool plain;
    if (count == KEYS_MAX || peek(c) != '"' || !scan_string(c, &keys[count], &plain) || !plain)
        return false;
    if (is_repeated(keys, count) || !take(c, ':')) return false;
    const bool also = v && slice_is(keys[count], "also");
    if (v && !also) v->size++;
    if (also && peek(c) == '[') return scan_array(c, v);
    return scan_value(c, &value) && (!v || keep(v, keys[count], &value));
}

/* v: NULL for one inside of another. */
static bool scan_object(struct cursor *c, struct record_view *v)
{
    struct slice keys[KEYS_MAX];
    size_t count = 0;
    if (!take(c, '{')) return false;
    if (take(c, '}')) return true;
    do {
        if (!scan_member(c, v, keys, count++)) return false;
    } while (take(c, ','));
    return take(c, '}');
}

/* ---- Views -------------------------------------------------------------------------------------
 */

static void clear(struct record_view *v)
{
    for (size_t i = 0; i < v->key_count; i++) v->fields[i] = no_field;
    v->also_count = v->size = 0;
}

bool record_scan(const char *line, size_t length, struct record_view *v)
{
    struct cursor c = {line, line + length, 0};
    clear(v);
    return scan_object(&c, v) && !peek(&c) && c.at == c.end;
}

static struct slice text_of(const json_t *value)
{
    return json_is_string(value)
               ? (struct slice){json_string_value(value), json_string_length(value)}
               : no_field.text;
}

void record_view_of(const json_t *record, struct record_view *v)
{
    const json_t *also = json_object_get(record, "also");
    clear(v);
    for (size_t i = 0; i < v->key_count; i++) {
        const json_t *value = json_object_get(record, v->keys[i].at);
        struct scan_field *f = &v->fields[i];
        f->text = text_of(value);
        if (json_is_number(value)) f->number = json_number_value(value);
        f->is_true = json_is_true(value);
        f->is_integer = json_is_integer(value);
    }
    v->size = json_object_size(record) - (also != NULL);
    v->also_count = json_array_size(also);
    if (v->also_count > v->also_room) {
        v->also_room = v->also_count;
        v->also = memory_grow(v->also, v->also_room * sizeof *v->also);
    }
    for (size_t i = 0; i < v->also_count; i++) v->also[i] = text_of(json_array_get(also, i));
}

void record_view_free(struct record_view *v)
{
    free(v->also);
    v->also = NULL;
    v->also_count = v->also_room = 0;
}

size_t record_view_count(const struct scan_field *f)
{
    return f->number >= 0 && f->number <= 1e15 ? (size_t)f->number : 0;
}
