// SPDX-License-Identifier: MIT
/* Lines that are cut into values without a parser: a line that the scanner accepts gives the parser
 * the same values; a line that it leaves is judged by the parser, with the messages of readers of
 * whole files. */
#include <jansson.h>

#include "base/random.h"
#include "model/record_scan.h"

#include "drive.h"

#define ID "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy="
static const struct slice keys[] = {SLICE("id"), SLICE("n"),     SLICE("ns"),
                                    SLICE("ok"), SLICE("where"), SLICE("lacking")};
enum { KEYS = sizeof keys / sizeof *keys };

static const char line[] =
    "{\"record\":\"timing\",\"id\":\"" ID "off\",\"n\":2048,\"ns\":-1.25e+01,\"ok\":true,"
    "\"bad\":false,\"where\":null,\"max_at\":{\"row\":0,\"input\":\"-0x1p+13\",\"in\":{}},"
    "\"list\":[1,[2,{\"a\":\"b\"}],[]],\"said\":\"a \\\"word\\\"\",\"also\":[\"" ID "fast\",\"" ID
    "on\"]}\n";

/* Fills the view from the parser's result; returns false if the parser refuses the line. */
static bool parse(const char *text, size_t length, json_t **record, struct record_view *v)
{
    char *copy = malloc(length + 1);
    struct error e;
    memcpy(copy, text, length);
    const int code = record_line_parse(copy, length, "x", 1, record, &e);
    free(copy);
    if (code) return false;
    record_view_of(*record, v);
    return true;
}

static void assert_same_slice(struct slice a, struct slice b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.at, b.at, a.size);
}

static void assert_same_view(const struct record_view *a, const struct record_view *b)
{
    for (size_t i = 0; i < KEYS; i++) {
        const struct scan_field *x = &a->fields[i], *y = &b->fields[i];
        assert_same_slice(x->text, y->text);
        assert_true(x->number == y->number || (isnan(x->number) && isnan(y->number)));
        assert_int_equal(x->kind, y->kind);
    }
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->also_count, b->also_count);
    for (size_t i = 0; i < a->also_count; i++) assert_same_slice(a->also[i], b->also[i]);
}

/* Returns whether the scanner accepts the text; asserts that the parser then finds the same values.
 */
static bool scan_and_compare(const char *text, size_t length)
{
    struct record_view scanned = {.keys = keys, .key_count = KEYS}, parsed = scanned;
    json_t *record = NULL;
    const bool taken = record_scan(text, length, &scanned);
    if (taken) {
        if (!parse(text, length, &record, &parsed)) fail_msg("taken: %.*s", (int)length, text);
        assert_same_view(&scanned, &parsed);
    }
    json_decref(record);
    record_view_free(&scanned);
    record_view_free(&parsed);
    return taken;
}

TEST(values_are_those_of_the_parser)
{
    struct record_view v = {.keys = keys, .key_count = KEYS};
    assert_true(scan_and_compare(line, sizeof line - 1));
    assert_true(record_scan(line, sizeof line - 1, &v));
    assert_true(slice_is(v.fields[0].text, ID "off"));
    assert_true(v.fields[1].number == 2048);
    assert_int_equal(v.fields[1].kind, SCAN_INTEGER);
    assert_true(v.fields[2].number == -12.5);
    assert_int_equal(v.fields[3].kind, SCAN_TRUE);
    assert_int_equal(v.fields[4].text.size, 0);
    assert_true(isnan(v.fields[5].number));
    assert_int_equal(v.also_count, 2);
    assert_true(slice_is(v.also[1], ID "on"));
    record_view_free(&v);
    static const char *const others[] = {"{}",           " { \"n\" : 0 , \"ok\" : [ ] } \r\n",
                                         "{\"also\":3}", "{\"also\":[]}",
                                         "{\"n\":-0.0}", "{\"n\":12345678901234567}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(scan_and_compare(others[i], strlen(others[i])));
}

TEST(what_is_unusual_is_left_to_the_parser)
{
    static const char *const texts[] = {
        "",                              /* not an object */
        "[1]",                           /* not an object either */
        "{\"n\":1}x",                    /* text after the object */
        "{\"n\":1,\"n\":2}",             /* a duplicate key */
        "{\"a\":{\"n\":1,\"n\":2}}",     /* a duplicate key in a nested object */
        "{\"n\":01}",                    /* not a number */
        "{\"n\":1.}",                    /* not a number */
        "{\"n\":+1}",                    /* not a number */
        "{\"n\":.5}",                    /* not a number */
        "{\"n\":1e999}",                 /* a number that is not finite */
        "{\"n\":123456789012345678901}", /* a number of more than 64 bits */
        "{\"n\":nan}",                   /* not a literal of JSON */
        "{\"n\":tru}",                   /* a literal cut short */
        "{n:1}",                         /* a key without quotes */
        "{\"n\":1,}",                    /* a trailing comma */
        "{\"n\" 1}",                     /* no colon */
        "{\"id\":\"a\\\"b\"}",           /* an escape in a wanted value */
        "{\"x\":\"\\u0041\"}",           /* an escape that may be invalid */
        "{\"x\":\"\\x\"}",               /* an invalid escape */
        "{\"x\":\"\xc3\xa4\"}",          /* not ASCII */
        "{\"x\":\"\xff\"}",              /* not UTF-8 */
        "{\"x\":\"a\tb\"}",              /* a control character */
        "{\"x\":\"a\x7f"
        "b\"}",                   /* DEL, which readers replace */
        "{\"\\u0041\":1}",        /* an escape in a key */
        "{\"also\":[1]}",         /* an id that is not a string */
        "{\"also\":[\"a\\nb\"]}", /* an id with an escape */
        "\v{}",                   /* not white space in JSON */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (scan_and_compare(texts[i], strlen(texts[i]))) fail_msg("taken: %s", texts[i]);
    char deep[200] = "{\"a\":", *at = deep + strlen(deep);
    memset(at, '[', 50);
    memset(at + 50, ']', 50);
    strcpy(at + 100, "}");
    assert_false(scan_and_compare(deep, strlen(deep)));
    for (size_t cut = 0; cut < sizeof line - 2; cut++) assert_false(scan_and_compare(line, cut));
}

/* Changes one or two bytes in some hundred thousand lines. */
TEST(changed_lines_are_taken_only_if_the_parser_takes_them)
{
    static const char likely[] = "{}[]\",:\\0123456789eE+-. tfnu\x7f\x80\xff\n";
    char text[sizeof line];
    uint64_t random = 1;
    size_t taken = 0, count = 200000;
    for (size_t i = 0; i < count; i++) {
        memcpy(text, line, sizeof line);
        for (size_t change = 0; change < 1 + i % 3; change++) {
            const size_t place = random_below(&random, sizeof line - 2);
            text[place] = likely[random_below(&random, sizeof likely - 1)];
        }
        taken += scan_and_compare(text, sizeof line - 1);
    }
    /* Most bytes are inside strings, where many changes leave the line valid. */
    assert_in_range(taken, count / 20, count - count / 20);
}

/* ---- Whole texts ----------------------------------------------------------------------------- */

struct seen {
    size_t lines;
    char ids[200];
};

static int see(void *context, const struct record_view *v, struct error *e)
{
    struct seen *s = context;
    (void)e;
    s->lines++;
    size_t used = strlen(s->ids);
    snprintf(s->ids + used, sizeof s->ids - used, "%.*s;", (int)v->fields[0].text.size,
             v->fields[0].text.at);
    return 0;
}

static int read_views(const char *text, size_t size, struct seen *s, struct error *e)
{
    json_t *kept = keep(json_array());
    *s = (struct seen){0, ""};
    const struct record_views views = {text, "here.jsonl", size, kept, see, s};
    return record_views_read(&views, keys, KEYS, e);
}

TEST(lines_of_both_kinds_are_read)
{
    static const char text[] =
        "{\"id\":\"a\"}\n{\"id\":\"b\\n\\u00e4\"}\n{\"id\":\"c\"}\n{\"id\":\"cut";
    struct seen s;
    struct error e;
    assert_int_equal(read_views(text, sizeof text - 1, &s, &e), 0);
    assert_int_equal(s.lines, 3);
    assert_string_equal(s.ids, "a;b  \xc3\xa4;c;");
}

TEST(refusals_have_the_words_of_whole_files)
{
    const size_t long_size = (1 << 20) + 100;
    char *texts[] = {strdup("{\"id\":\"a\"}\nx\n"), strdup("{\"n\":1,\"n\":1}\n"), strdup("[]\n"),
                     strdup("\n"), malloc(long_size + 1)};
    memset(texts[4], ' ', long_size);
    texts[4][long_size] = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error by_views = {""}, by_lines = {""};
        struct seen s;
        json_t *records = keep(json_array());
        const int code = read_views(texts[i], strlen(texts[i]), &s, &by_views);
        assert_int_not_equal(code, 0);
        assert_int_equal(
            record_text_read(texts[i], strlen(texts[i]), "here.jsonl", records, &by_lines), code);
        assert_string_equal(by_views.text, by_lines.text);
        keep(texts[i]);
    }
}
