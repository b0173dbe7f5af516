// SPDX-License-Identifier: MIT
/* Targets that parse: files, the command line, filters. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd/options.h"
#include "cmd/parameters.h"
#include "fuzz.h"
#include "measure/cell.h"
#include "model/filter.h"
#include "model/npy.h"
#include "model/record.h"
#include "model/record_scan.h"

/* ---- Files ----------------------------------------------------------------------------------- */

void fuzz_npy(const uint8_t *data, size_t size)
{
    struct npy a;
    struct error e = {""};
    int code = npy_read(fuzz_file(data, size), &a, &e);
    if (code) {
        fuzz_expect_told(code, &e);
        if (a.data) abort();
        return;
    }
    /* Reads every value, so that the sanitizer reports a read beyond the array. */
    float sum = 0;
    for (size_t i = 0; i < a.rows * a.cols; i++) sum += a.data[i];
    if (a.ndim < 1 || a.ndim > 2 || (a.ndim == 1 && a.rows != 1) || sum == 0x1.badp+100f) abort();
    npy_free(&a);
}

void fuzz_record(const uint8_t *data, size_t size)
{
    json_t *records, *record;
    struct error e = {""};
    size_t i;
    int code = record_read(fuzz_file(data, size), false, &records, &e);
    if (code) {
        fuzz_expect_told(code, &e);
        if (records) abort();
        return;
    }
    json_array_foreach(records, i, record) if (!json_is_object(record)) abort();
    json_decref(records);
}

/* The scanner, which cuts a line without a parser, must find what the parser finds. The text ends
 * where its memory ends. */
void fuzz_line(const uint8_t *data, size_t size)
{
    static const struct slice keys[] = {SLICE("id"), SLICE("n"), SLICE("max_ulp"), SLICE("status")};
    enum { KEYS = sizeof keys / sizeof *keys };
    struct record_view cut = {.keys = keys, .key_count = KEYS}, parsed = cut;
    struct error e = {""};
    json_t *record = NULL;
    char *exact = malloc(size ? size : 1), *text = fuzz_text(data, size);
    if (!exact) abort();
    if (size) memcpy(exact, data, size);
    if (record_scan(exact, size, &cut)) {
        if (record_line_parse(text, size, "line", 1, &record, &e)) abort();
        record_view_of(record, &parsed);
        for (size_t i = 0; i < KEYS; i++) {
            const struct scan_field *a = &cut.fields[i], *b = &parsed.fields[i];
            bool no_number = isnan(a->number) && isnan(b->number);
            if (!slice_same(a->text, b->text) || !(a->number == b->number || no_number) ||
                a->kind != b->kind)
                abort();
        }
        if (cut.size != parsed.size || cut.also_count != parsed.also_count) abort();
        for (size_t i = 0; i < cut.also_count; i++)
            if (!slice_same(cut.also[i], parsed.also[i])) abort();
    }
    json_decref(record);
    record_view_free(&cut);
    record_view_free(&parsed);
    free(exact);
    free(text);
}

void fuzz_machine(const uint8_t *data, size_t size)
{
    json_t *machine;
    struct error e = {""};
    /* machine.json is read from a folder in memory: /proc/self/fd/N/.. has none. */
    static const char head[] = "== machine.json\n";
    uint8_t *text = malloc(sizeof head + size);
    if (!text) abort();
    memcpy(text, head, sizeof head - 1);
    if (size) memcpy(text + sizeof head - 1, data, size);
    int code = record_read_machine(fuzz_folder(text, sizeof head - 1 + size), &machine, &e);
    if (code) fuzz_expect_told(code, &e);
    if (!code != (machine != NULL)) abort();
    json_decref(machine);
    free(text);
}

/* ---- The command line ------------------------------------------------------------------------ */

void fuzz_filter(const uint8_t *data, size_t size)
{
    static const struct place places[] = {
        {"softmax/online/dtype=f32/isa=avx2/cc=gcc-12/policy=off", "softmax", "online", "f32",
         "avx2", "gcc-12", "off"},
        {"moments/welford/dtype=bf16/isa=avx512/cc=clang-14/policy=fast", "moments", "welford",
         "bf16", "avx512", "clang-14", "fast"},
    };
    char *text = fuzz_text(data, size);
    const char *const filters[] = {text};
    for (size_t i = 0; i < 2; i++) {
        bool match = false;
        struct error e = {""};
        int code = filter_matches(&places[i], filters, 1, &match, &e);
        if (code) fuzz_expect_told(code, &e);
    }
    free(text);
}

/* getopt_long() keeps a position inside an argument between calls: this resets it. */
static void forget_arguments(void)
{
    static char *nothing[] = {"", NULL};
    static const struct option none[] = {{0}};
    optind = 0;
    getopt_long(1, nothing, "", none, NULL);
}

static int parse(const char *command, char **argv, int argc, struct options *o, struct error *e)
{
    const struct command c = {.name = command};
    forget_arguments();
    return options_parse(argc, argv, &c, o, e);
}

/* Parses `COMMAND OPTION TEXT`, then calls `check` with the result. */
static void parse_one(const char *command, char *option, const uint8_t *data, size_t size,
                      int (*check)(const struct options *, struct error *))
{
    struct options o;
    struct error e = {""};
    char *text = fuzz_text(data, size), program[] = "ulplab", name[] = "command";
    char *argv[] = {program, name, option, text, NULL};
    int code = parse(command, argv, 4, &o, &e);
    if (!code) code = check(&o, &e);
    if (code) fuzz_expect_told(code, &e);
    options_free(&o);
    free(text);
}

static int check_param(const struct options *o, struct error *e)
{
    const struct variant softmax = {.op = "softmax", .algorithm = "scaled"};
    struct given g;
    int code = given_parse(o, &g, e);
    if (!code) code = given_fits(o, &softmax, e);
    if (!code) code = given_length(&g, 4, e);
    given_free(&g);
    return code;
}
void fuzz_param(const uint8_t *data, size_t size)
{
    char option[] = "--param";
    parse_one("bench", option, data, size, check_param);
}

static int check_shapes(const struct options *o, struct error *e)
{
    int code = bench_check_shapes(o->shapes.items, o->shapes.count, e);
    for (size_t i = 0; i < o->shapes.count && !code; i++)
        if (!shape_given(o->shapes.items[i]).rows && !shape_named(o->shapes.items[i], NULL))
            abort(); /* accepted, but neither a size nor a name */
    return code;
}
void fuzz_shapes(const uint8_t *data, size_t size)
{
    char option[] = "--shapes";
    parse_one("bench", option, data, size, check_shapes);
}

static int check_threshold(const struct options *o, struct error *e)
{
    (void)e;
    if (!o->threshold.given || !(o->threshold.value >= 0)) abort();
    return 0;
}
void fuzz_threshold(const uint8_t *data, size_t size)
{
    char option[] = "--threshold";
    parse_one("compare", option, data, size, check_threshold);
}

/* Takes the input as a whole command line, whose first word is the command. */
void fuzz_options(const uint8_t *data, size_t size)
{
    enum { WORDS = 100 };
    struct options o;
    struct error e = {""};
    char *text = fuzz_text(data, size), program[] = "ulplab", *save = NULL;
    char *argv[WORDS + 1] = {program};
    int argc = 1;
    for (char *word = strtok_r(text, " \n", &save); word && argc < WORDS;
         word = strtok_r(NULL, " \n", &save))
        argv[argc++] = word;
    if (argc > 1) {
        int code = parse(argv[1], argv, argc, &o, &e);
        if (code) fuzz_expect_told(code, &e);
        options_free(&o);
    }
    free(text);
}
