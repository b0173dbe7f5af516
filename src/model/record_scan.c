// SPDX-License-Identifier: MIT
#include "model/record_scan.h"

#include <emmintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* ---- Control characters ---------------------------------------------------------------------- */

static bool is_control(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Returns the length of the escape of a control character (\n, \u001b) at `at`; 0 for another
 * escape. */
static size_t control_escape(const char *at, size_t left)
{
    unsigned code;
    char digits[5] = "";
    if (left >= 2 && memchr("bfnrt", at[1], 5)) return 2;
    if (left < 6 || at[1] != 'u') return 0;
    memcpy(digits, at + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 && sscanf(digits, "%x", &code) == 1 &&
                   is_control(code)
               ? 6
               : 0;
}

void record_blank_controls(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i],
                      next = i + 1 < size ? (unsigned char)text[i + 1] : 0;
        size_t blank = c == '\\' ? control_escape(text + i, size - i)
                       : c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2
                                                                  : c == 0x7f;
        memset(text + i, ' ', blank);
        i += blank       ? blank
             : c == '\\' ? 2
                         : 1; /* after a backslash, a second one begins no escape */
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

static const char malformed[] = "bad record: %s:%d: %s; measure again, or remove the line";

/* The limit of unfolding, in values: each is a copy's entry for a key. A line of 1 MiB could stand
 * for 10^10 of them. */
static const size_t unfolded_max = (size_t)1 << 26;

/* The lines of a text, or of a file, which is read piece by piece. */
struct lines {
    const char *path;
    char *at, *end; /* what is not yet handed over */
    FILE *in;       /* NULL: a text */
    char *buffer;
    size_t room;
    int number;
    size_t unfolded; /* values so far */
};

/* Checks that a record with `also` other ids and `size` fields unfolds, with those of the lines
 * before, into no more than these. */
static int check_unfolding(struct lines *l, size_t also, size_t size, struct error *e)
{
    l->unfolded += also * (size + 1);
    if (l->unfolded <= unfolded_max) return 0;
    return fail(e, EXIT_BAD_INPUT, malformed, l->path, l->number,
                "\"also\" unfolds into more than 2^26 values");
}

/* Reads more of the file behind what is left. getline() would take memory for a line of any length
 * before anyone could refuse it. */
static bool read_more(struct lines *l)
{
    const size_t left = (size_t)(l->end - l->at);
    if (left) memmove(l->buffer, l->at, left);
    if (left == l->room) {
        l->room = l->room ? 2 * l->room : RECORD_LINE_MAX / 16;
        l->buffer = memory_grow(l->buffer, l->room);
    }
    const size_t count = fread(l->buffer + left, 1, l->room - left, l->in);
    l->at = l->buffer;
    l->end = l->buffer + left + count;
    return count;
}

/* Goes to the next line, whose break belongs to it. Returns false behind the last, and with *code
 * where a line is too long or cannot be read. */
static bool next_line(struct lines *l, char **line, size_t *length, int *code, struct error *e)
{
    l->number++;
    for (;;) {
        const size_t left = (size_t)(l->end - l->at);
        const size_t most = left < RECORD_LINE_MAX ? left : RECORD_LINE_MAX;
        char *stop = most ? memchr(l->at, '\n', most) : NULL;
        if (stop) {
            *line = l->at;
            *length = (size_t)(stop - l->at) + 1;
            l->at = stop + 1;
            return true;
        }
        if (most == RECORD_LINE_MAX)
            return *code =
                       fail(e, EXIT_BAD_INPUT, malformed, l->path, l->number, "longer than 1 MiB"),
                   false;
        if (l->in && read_more(l)) continue;
        if (l->in && ferror(l->in))
            *code = file_cannot(e, "read", l->path, "see whether its disk works, then try again");
        return false; /* also behind a last line that was cut */
    }
}

int record_line_parse(char *line, size_t length, const char *path, int number, json_t **record,
                      struct error *e)
{
    json_error_t why;
    record_blank_controls(line, length);
    *record = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    if (!*record) return fail(e, EXIT_BAD_INPUT, malformed, path, number, why.text);
    if (json_is_object(*record)) return 0;
    json_decref(*record);
    *record = NULL;
    return fail(e, EXIT_BAD_INPUT, malformed, path, number, "not an object");
}

/* Appends the record, unfolded, and takes it over. */
static void append_unfolded(json_t *records, json_t *record)
{
    json_t *also = json_incref(json_object_get(record, "also")), *id;
    size_t i;
    json_object_del(record, "also");
    json_array_append_new(records, record);
    json_array_foreach(also, i, id)
    {
        json_t *copy = json_copy(record);
        json_object_set(copy, "id", id);
        json_array_append_new(records, copy);
    }
    json_decref(also);
}

static int read_records(struct lines *l, json_t *records, struct error *e)
{
    int code = 0;
    char *line;
    size_t length;
    while (!code && next_line(l, &line, &length, &code, e)) {
        json_t *record;
        code = record_line_parse(line, length, l->path, l->number, &record, e);
        if (code) break;
        const json_t *also = json_object_get(record, "also");
        code =
            check_unfolding(l, json_array_size(also), json_object_size(record) - (also != NULL), e);
        if (code)
            json_decref(record);
        else
            append_unfolded(records, record);
    }
    free(l->buffer);
    return code;
}

int record_lines_read(FILE *in, const char *path, json_t *records, struct error *e)
{
    return read_records(&(struct lines){.in = in, .path = path}, records, e);
}

int record_text_read(char *text, size_t size, const char *path, json_t *records, struct error *e)
{
    return read_records(&(struct lines){.at = text, .end = text + size, .path = path}, records, e);
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* The tokens of JSON as ulplab writes it: anything unusual is refused and left to the parser. */

enum { DIGITS_MAX = 17, EXPONENT_DIGITS_MAX = 2 };

struct cursor {
    const char *at, *end;
    int depth;
};

bool slice_is(struct slice s, const char *text)
{
    return strlen(text) == s.size && !memcmp(s.at, text, s.size);
}

/* Returns the next character after spaces; 0 at the end. */
static char token_peek(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r'))) {
        if (*c->at == '\v' || *c->at == '\f') return 0; /* no space in JSON */
        c->at++;
    }
    return c->at < c->end ? *c->at : '\0';
}

static bool token_take(struct cursor *c, char wanted)
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

/* Takes the text between quotes, from the first quote on; *plain: it has no escapes. */
static bool token_string(struct cursor *c, struct slice *text, bool *plain)
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

/* Takes a number, if it is short enough to be surely finite and, as an integer, to have at most 64
 * bits. */
static bool token_number(struct cursor *c, bool *is_integer)
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

static bool token_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

enum { KEYS_MAX = 64, DEPTH_MAX = 12 };

enum { ESCAPED = SCAN_JSON + 1 }; /* ESCAPED: a text with escapes */
struct value {
    int kind;          /* enum scan_kind, or ESCAPED */
    struct slice text; /* a text without its quotes; the beginning of a number */
};

static bool scan_object(struct cursor *c, struct record_view *v);
static bool scan_value(struct cursor *c, struct value *value);

/* Skips an array's values, or takes them as texts of `also`. */
static bool scan_array(struct cursor *c, struct record_view *also)
{
    struct value value;
    if (!token_take(c, '[')) return false;
    if (token_take(c, ']')) return true;
    do {
        if (!scan_value(c, &value)) return false;
        if (!also) continue;
        if (value.kind != SCAN_TEXT) return false;
        if (also->also_count == also->also_room) {
            also->also_room = 2 * also->also_room + 64;
            also->also = memory_grow(also->also, also->also_room * sizeof *also->also);
        }
        also->also[also->also_count++] = value.text;
    } while (token_take(c, ','));
    return token_take(c, ']');
}

static bool scan_value(struct cursor *c, struct value *value)
{
    bool plain = true, is_integer = false, good;
    const char first = token_peek(c);
    *value = (struct value){SCAN_NONE, {c->at, 0}};
    switch (first) {
    case '{':
    case '[':
        if (++c->depth > DEPTH_MAX) return false;
        good = first == '{' ? scan_object(c, NULL) : scan_array(c, NULL);
        c->depth--;
        value->kind = SCAN_JSON;
        value->text.size = (size_t)(c->at - value->text.at);
        return good;
    case '"':
        good = token_string(c, &value->text, &plain);
        value->kind = plain ? SCAN_TEXT : ESCAPED;
        return good;
    case 'n':
        return token_word(c, "null");
    case 'f':
    case 't':
        value->kind = first == 't' ? SCAN_TRUE : SCAN_FALSE;
        return token_word(c, first == 't' ? "true" : "false");
    default:
        good = token_number(c, &is_integer);
        value->kind = is_integer ? SCAN_INTEGER : SCAN_REAL;
        return good;
    }
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static const struct scan_field no_field = {SCAN_NONE, {"", 0}, {"", 0}, NAN};

static bool is_repeated(const struct slice *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_same(keys[i], keys[count])) return true;
    return false;
}

/* Keeps a value if its key is asked for; only then a number is converted. */
static bool keep_field(struct record_view *v, struct slice key, const struct value *value)
{
    size_t i = 0;
    while (i < v->key_count && !slice_same(v->keys[i], key)) i++;
    if (i == v->key_count) return true;
    if (value->kind == ESCAPED) return false;
    struct scan_field *f = &v->fields[i];
    f->kind = (enum scan_kind)value->kind;
    if (f->kind == SCAN_TEXT) f->text = value->text;
    if (f->kind == SCAN_JSON) f->json = value->text;
    if (f->kind == SCAN_REAL || f->kind == SCAN_INTEGER) f->number = strtod(value->text.at, NULL);
    return true;
}

/* Scans one key and its value. */
static bool scan_member(struct cursor *c, struct record_view *v, struct slice *keys, size_t count)
{
    struct value value;
    bool plain;
    if (count == KEYS_MAX || token_peek(c) != '"' || !token_string(c, &keys[count], &plain) ||
        !plain)
        return false;
    if (is_repeated(keys, count) || !token_take(c, ':')) return false;
    const bool also = v && slice_is(keys[count], "also");
    if (v && !also) v->size++;
    if (also && token_peek(c) == '[') return scan_array(c, v);
    return scan_value(c, &value) && (!v || keep_field(v, keys[count], &value));
}

/* Scans an object; v is NULL for one inside of another. */
static bool scan_object(struct cursor *c, struct record_view *v)
{
    struct slice keys[KEYS_MAX];
    size_t count = 0;
    if (!token_take(c, '{')) return false;
    if (token_take(c, '}')) return true;
    do {
        if (!scan_member(c, v, keys, count++)) return false;
    } while (token_take(c, ','));
    return token_take(c, '}');
}

/* ---- Views ----------------------------------------------------------------------------------- */

static void clear(struct record_view *v)
{
    for (size_t i = 0; i < v->key_count; i++) v->fields[i] = no_field;
    v->also_count = v->size = 0;
}

bool record_scan(const char *line, size_t length, struct record_view *v)
{
    struct cursor c = {line, line + length, 0};
    clear(v);
    v->line = (struct slice){line, length};
    return scan_object(&c, v) && !token_peek(&c) && c.at == c.end;
}

static struct slice text_of_json(const json_t *value)
{
    return json_is_string(value)
               ? (struct slice){json_string_value(value), json_string_length(value)}
               : no_field.text;
}

static enum scan_kind kind_of_json(const json_t *value)
{
    if (json_is_string(value)) return SCAN_TEXT;
    if (json_is_integer(value)) return SCAN_INTEGER;
    if (json_is_real(value)) return SCAN_REAL;
    if (json_is_boolean(value)) return json_is_true(value) ? SCAN_TRUE : SCAN_FALSE;
    return json_is_array(value) || json_is_object(value) ? SCAN_JSON : SCAN_NONE;
}

/* Returns the value as JSON, which `texts` keeps. */
static struct slice dumped(json_t *texts, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    json_array_append_new(texts, json_string(text ? text : ""));
    free(text);
    return text_of_json(json_array_get(texts, json_array_size(texts) - 1));
}

void record_view_of(const json_t *record, struct record_view *v)
{
    const json_t *also = json_object_get(record, "also");
    clear(v);
    json_decref(v->texts);
    v->texts = json_array();
    v->line = no_field.text;
    for (size_t i = 0; i < v->key_count; i++) {
        const json_t *value = json_object_getn(record, v->keys[i].at, v->keys[i].size);
        struct scan_field *f = &v->fields[i];
        f->kind = kind_of_json(value);
        f->text = text_of_json(value);
        if (f->kind == SCAN_JSON) f->json = dumped(v->texts, value);
        if (json_is_number(value)) f->number = json_number_value(value);
    }
    v->size = json_object_size(record) - (also != NULL);
    v->also_count = json_array_size(also);
    if (v->also_count > v->also_room) {
        v->also_room = v->also_count;
        v->also = memory_grow(v->also, v->also_room * sizeof *v->also);
    }
    for (size_t i = 0; i < v->also_count; i++) v->also[i] = text_of_json(json_array_get(also, i));
}

void record_view_free(struct record_view *v)
{
    free(v->also);
    v->also = NULL;
    json_decref(v->texts);
    v->texts = NULL;
    v->also_count = v->also_room = 0;
}

/* ---- All lines of a text --------------------------------------------------------------------- */

/* Parses a line that the scanner leaves to the parser. */
static int parse_into_view(const struct record_views *r, const char *line, size_t length,
                           int number, struct record_view *v, struct error *e)
{
    json_t *record;
    char *copy = memcpy(memory_new(length), line, length);
    int code = record_line_parse(copy, length, r->path, number, &record, e);
    free(copy);
    if (code) return code;
    json_array_append_new(r->kept, record);
    record_view_of(record, v);
    v->line = (struct slice){line, length};
    return 0;
}

int record_views_read(const struct record_views *r, const struct slice *keys, size_t key_count,
                      struct error *e)
{
    struct record_view v = {.keys = keys, .key_count = key_count};
    char *text = (char *)(uintptr_t)r->text; /* which is not changed here */
    struct lines l = {.at = text, .end = text + r->size, .path = r->path};
    int code = 0;
    char *line;
    size_t length;
    while (!code && next_line(&l, &line, &length, &code, e)) {
        if (!record_scan(line, length, &v))
            code = parse_into_view(r, line, length, l.number, &v, e);
        if (!code) code = check_unfolding(&l, v.also_count, v.size, e);
        if (!code) code = r->take(r->context, &v, e);
    }
    record_view_free(&v);
    return code;
}
