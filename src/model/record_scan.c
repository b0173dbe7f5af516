// SPDX-License-Identifier: MIT
#include "model/record_scan.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { KEYS_MAX = 64, DEPTH_MAX = 12 };

/* ---- Values ---------------------------------------------------------------------------------- */

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

static bool scan_nested(struct cursor *c, struct value *value)
{
    if (++c->depth > DEPTH_MAX) return false;
    bool good = *c->at == '{' ? scan_object(c, NULL) : scan_array(c, NULL);
    c->depth--;
    value->kind = SCAN_JSON;
    value->text.size = (size_t)(c->at - value->text.at);
    return good;
}

static bool scan_text(struct cursor *c, struct value *value)
{
    bool plain;
    if (!token_string(c, &value->text, &plain)) return false;
    value->kind = plain ? SCAN_TEXT : ESCAPED;
    return true;
}

static bool scan_value(struct cursor *c, struct value *value)
{
    bool is_integer;
    const char first = token_peek(c);
    *value = (struct value){SCAN_NONE, {c->at, 0}};
    if (first == '{' || first == '[') return scan_nested(c, value);
    if (first == '"') return scan_text(c, value);
    if (first == 'n') return token_word(c, "null");
    if (first == 'f' || first == 't') {
        value->kind = first == 't' ? SCAN_TRUE : SCAN_FALSE;
        return token_word(c, first == 't' ? "true" : "false");
    }
    if (!token_number(c, &is_integer)) return false;
    value->kind = is_integer ? SCAN_INTEGER : SCAN_REAL;
    return true;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static const struct scan_field no_field = {SCAN_NONE, {"", 0}, {"", 0}, NAN, false, false};

static bool is_repeated(const struct slice *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_same(keys[i], keys[count])) return true;
    return false;
}

/* Keeps a value if its key is asked for; only then a number is converted. */
static bool record_scan_keep(struct record_view *v, struct slice key, const struct value *value)
{
    size_t i = 0;
    while (i < v->key_count && !slice_same(v->keys[i], key)) i++;
    if (i == v->key_count) return true;
    if (value->kind == ESCAPED) return false;
    struct scan_field *f = &v->fields[i];
    f->kind = (enum scan_kind)value->kind;
    if (f->kind == SCAN_TEXT) f->text = value->text;
    if (f->kind == SCAN_JSON) f->json = value->text;
    f->is_true = f->kind == SCAN_TRUE;
    f->is_integer = f->kind == SCAN_INTEGER;
    if (f->kind == SCAN_REAL || f->is_integer) f->number = strtod(value->text.at, NULL);
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
    return scan_value(c, &value) && (!v || record_scan_keep(v, keys[count], &value));
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

static struct slice record_scan_text_of(const json_t *value)
{
    return json_is_string(value)
               ? (struct slice){json_string_value(value), json_string_length(value)}
               : no_field.text;
}

static enum scan_kind record_scan_kind_of(const json_t *value)
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
    return record_scan_text_of(json_array_get(texts, json_array_size(texts) - 1));
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
        f->kind = record_scan_kind_of(value);
        f->text = record_scan_text_of(value);
        if (f->kind == SCAN_JSON) f->json = dumped(v->texts, value);
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
    for (size_t i = 0; i < v->also_count; i++)
        v->also[i] = record_scan_text_of(json_array_get(also, i));
}

void record_view_free(struct record_view *v)
{
    free(v->also);
    v->also = NULL;
    json_decref(v->texts);
    v->texts = NULL;
    v->also_count = v->also_room = 0;
}

size_t record_view_count(const struct scan_field *f)
{
    return f->number >= 0 && f->number <= 1e15 ? (size_t)f->number : 0;
}
