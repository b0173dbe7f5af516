// SPDX-License-Identifier: MIT
/* Mutations of an input: its bytes, or the values of its JSON. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/random.h"
#include "fuzz.h"

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Replaces `cut` bytes at `at` by others. Returns the new size; changes nothing if there is no
 * room. */
static size_t splice(uint8_t *data, size_t size, size_t room, size_t at, size_t cut,
                     const void *with, size_t length)
{
    if (size - cut + length > room) return size;
    memmove(data + at + length, data + at + cut, size - at - cut);
    if (length) memcpy(data + at, with, length);
    return size - cut + length;
}

size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t room, uint64_t *state)
{
    static const char *const words[] = {"0",        "-1",        "18446744073709551616",
                                        "1e309",    "nan",       ",",
                                        "=",        "/",         "(",
                                        ")",        "[",         "{9}",
                                        "*",        "\\",        "x",
                                        "\"",       "\n",        "%",
                                        "'<f2'",    "'shape': ", "--",
                                        "\xff\xff", "\x7f",      "",
                                        "  "};
    size_t at = random_below(state, size + 1), left = size - at;
    size_t cut = left ? random_log_uniform(state, left) : 0;
    uint8_t byte = (uint8_t)random_next(state);
    const char *word = words[random_below(state, sizeof words / sizeof *words)];
    switch (random_below(state, 5)) {
    case 0: /* replaces a byte */
        return splice(data, size, room, at, left > 0, &byte, 1);
    case 1: /* flips a bit */
        if (left) data[at] ^= (uint8_t)(1u << random_below(state, 8));
        return size;
    case 2: /* removes a piece */
        return splice(data, size, room, at, cut, NULL, 0);
    case 3: /* inserts a word of the formats, or replaces a piece by it */
        return splice(data, size, room, at, random_below(state, 2) ? cut : 0, word, strlen(word));
    default: { /* repeats a piece */
        uint8_t copy[64];
        size_t length = cut < sizeof copy ? cut : sizeof copy;
        memcpy(copy, data + at, length);
        return splice(data, size, room, random_below(state, size + 1), 0, copy, length);
    }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Values that records do not have, some of them meant to break out of a page's markup. */
static json_t *strange_value(uint64_t *state)
{
    static const char *const texts[] = {
        "null",
        "true",
        "\"\"",
        "[]",
        "{}",
        "0",
        "-1",
        "1e308",
        "-1e308",
        "1e-320",
        "0.5",
        "1",
        "9223372036854775807",
        "4294967296",
        "1000000",
        "[null]",
        "[[[[]]]]",
        "[1e308,-1e308]",
        "[0,0,0,0,0,0,0,0]",
        "{\"\":{\"\":[]}}",
        "\"</script><script>alert(1)</script>\"",
        "\"\\\"'><img src=x onerror=alert(1)>\"",
        "\"=HYPERLINK(1)\"",
        "\"a|b`c*d_e\"",
        "\"%s%n%d\"",
        "\"../../etc/passwd\"",
        "\"\\u001b[31m\\u0007\"",
        "\"a\\nb\\tc\"",
        "\"\\u0000\"",
        "\"\\u202e\\ufeff\\ud83d\\ude00\"",
        "\"//////////\"",
        "\"op/a/dtype=f32/isa=avx2/cc=x/policy=off\"",
        "\"softmax/online/dtype=bf16/isa=avx512/cc=lib/policy=library\"",
        "\"0x1p+1024\"",
        "\"nan\"",
        "\"ok\"",
        "\"crashed\"",
        "\"skipped\"",
        "\"timing\"",
        "\"control\"",
        "\"limit\"",
        "\"off\"",
        "\"avx2\"",
        "\"avx512\"",
        "\"normal\"",
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "a"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "a"
        "\"",
    };
    const char *text = texts[random_below(state, sizeof texts / sizeof *texts)];
    return json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static json_t *scaled_number(const json_t *old, uint64_t *state)
{
    static const double factors[] = {0, -1, 0.5, 2, 1e3, 1e-3, 1e12, 1e300};
    double value = json_number_value(old) * factors[random_below(state, 8)];
    json_t *real = json_real(value);
    return real ? real : json_null();
}

/* Returns another value of the record, a number close to the old one, or a value that no record
 * has. */
static json_t *other_value(const json_t *old, const json_t *spare, uint64_t *state)
{
    if (json_is_number(old) && random_below(state, 2)) return scaled_number(old, state);
    if (spare && random_below(state, 3) == 0) return json_deep_copy(spare);
    json_t *value = strange_value(state);
    return value ? value : json_null();
}

static const char *random_key(const json_t *object, uint64_t *state)
{
    size_t place = random_below(state, json_object_size(object));
    void *at = json_object_iter((json_t *)(uintptr_t)object);
    while (place--) at = json_object_iter_next((json_t *)(uintptr_t)object, at);
    return json_object_iter_key(at);
}

/* Changes one value somewhere in `within`; `spare` is a value from elsewhere, or NULL. */
static void change_value(json_t *within, const json_t *spare, uint64_t *state)
{
    bool object = json_object_size(within) > 0;
    size_t place = json_array_size(within) ? random_below(state, json_array_size(within)) : 0;
    const char *key = object ? random_key(within, state) : NULL;
    json_t *value = object ? json_object_get(within, key) : json_array_get(within, place);
    if (!value) return;
    if ((json_is_object(value) || json_is_array(value)) && random_below(state, 4))
        change_value(value, spare, state);
    else if (random_below(state, 8) == 0)
        object ? json_object_del(within, key) : json_array_remove(within, place);
    else if (object)
        json_object_set_new(within, key, other_value(value, spare, state));
    else
        json_array_set_new(within, place, other_value(value, spare, state));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct line {
    size_t at, length; /* with its line break */
};

/* Returns the line that contains a byte chosen at random. */
static struct line random_line(const uint8_t *data, size_t size, uint64_t *state)
{
    size_t at = random_below(state, size);
    const uint8_t *before = memrchr(data, '\n', at);
    size_t begin = before ? (size_t)(before - data) + 1 : 0;
    const uint8_t *end = memchr(data + at, '\n', size - at);
    return (struct line){begin, (end ? (size_t)(end - data) + 1 : size) - begin};
}

static json_t *parse_line(const uint8_t *data, struct line l)
{
    return json_loadb((const char *)data + l.at, l.length, JSON_ALLOW_NUL, NULL);
}

/* Copies a value from another record into this one, under the same key if both have it. */
static size_t change_record(uint8_t *data, size_t size, size_t room, struct line l, uint64_t *state)
{
    json_t *record = parse_line(data, l);
    json_t *other = parse_line(data, random_line(data, size, state));
    if (!json_object_size(record)) {
        json_decref(record);
        json_decref(other);
        return fuzz_mutate_bytes(data, size, room, state);
    }
    const json_t *spare =
        json_object_size(other) ? json_object_get(other, random_key(other, state)) : NULL;
    for (size_t times = random_log_uniform(state, 4); times--;) change_value(record, spare, state);
    char *text = json_dumps(record, JSON_COMPACT);
    if (text) {
        size_t length = strlen(text);
        text[length] = '\n'; /* no longer a string: the end of the line */
        size = splice(data, size, room, l.at, l.length, text, length + 1);
    }
    free(text);
    json_decref(record);
    json_decref(other);
    return size;
}

size_t fuzz_mutate_records(uint8_t *data, size_t size, size_t room, uint64_t *state)
{
    if (!size) return fuzz_mutate_bytes(data, size, room, state);
    struct line l = random_line(data, size, state);
    uint8_t *copy;
    switch (random_below(state, 16)) {
    case 0:
        return splice(data, size, room, l.at, l.length, NULL, 0);
    case 1: /* copies the line to another place */
        copy = malloc(l.length);
        if (!copy) abort();
        memcpy(copy, data + l.at, l.length);
        size = splice(data, size, room, random_line(data, size, state).at, 0, copy, l.length);
        free(copy);
        return size;
    case 2:
        return fuzz_mutate_bytes(data, size, room, state);
    default:
        return change_record(data, size, room, l, state);
    }
}
