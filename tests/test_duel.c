// SPDX-License-Identifier: MIT
/* duel, bench --pair and bench --precision from the command line. The one assertion about time is
 * that a kernel that does its work twenty times takes longer. */
// test: 12 s of a core
#include <sys/stat.h>

#include <jansson.h>

#include "base/error.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/sql/judge.h"
#include "scratch.h"

#include "drive.h"

static char own[512], slow[512];

static int set_up(void **state)
{
    snprintf(own, sizeof own, "%s", drive_program("ulplab"));
    snprintf(slow, sizeof slow, "%s", drive_program("duel/ulplab"));
    return scratch_open(state);
}

/* Skips the test without AVX2, or if the fixtures were not built (sanitizers). */
static void need_the_build(void)
{
    struct stat s;
    struct drive d = {.program = own,
                      .arguments = {"list", "--filter", "moments/twopass isa=avx2"}};
    struct outcome o = drive(&d);
    bool runs = o.code == EXIT_DONE && strstr(o.out, " ok");
    drive_free(&o);
    if (stat(slow, &s) != 0 || !runs) {
        puts("skipped: no AVX2 here, or build/duel is not built");
        skip();
    }
}

static json_t *document_of(const struct drive *d, int code)
{
    struct outcome o = drive(d);
    if (o.code != code) fail_msg("exit %d: %s", o.code, o.err);
    json_t *document = json_loads(o.out, 0, NULL);
    assert_non_null(document);
    drive_free(&o);
    return document;
}

#define TWOPASS "moments/twopass isa=avx2 policy=off dtype=f32"

TEST(a_slower_build_is_found)
{
    need_the_build();
    struct drive d = {.program = own,
                      .arguments = {"duel", slow, "--filter", TWOPASS, "--threads", "1", "--json"}};
    json_t *document = document_of(&d, EXIT_DONE), *row;
    size_t i;
    assert_true(json_array_size(json_object_get(document, "rows")) > 0);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        assert_true(record_number(row, "ratio") < 0.6);
        assert_true(record_number(row, "low") <= record_number(row, "ratio"));
        assert_true(record_number(row, "ratio") <= record_number(row, "high"));
        assert_string_equal(record_text(row, "verdict"), "faster");
        assert_true(json_is_false(json_object_get(row, "bits_equal")));
    }
    assert_true(record_number(json_object_get(document, "geomean"), "ratio") < 0.6);
    json_decref(document);
}

TEST(the_gate_is_for_what_got_slower)
{
    need_the_build();
    struct drive d = {.program = slow,
                      .arguments = {"duel", own, "--filter", TWOPASS, "--threads", "1",
                                    "--threshold", "3", "--quiet"}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_GATE, "slower");
    assert_non_null(strstr(o.out, "differ"));
    drive_free(&o);
}

TEST(the_same_program_has_the_same_bits)
{
    need_the_build();
    struct drive d = {.program = own,
                      .arguments = {"duel", own, "--filter", TWOPASS, "--shapes", "3x77,1x1000",
                                    "--threads", "1", "--processes", "3", "--samples", "4",
                                    "--json"}};
    json_t *document = document_of(&d, EXIT_DONE), *row;
    size_t i, rows = json_array_size(json_object_get(document, "rows"));
    assert_true(rows >= 2 && rows % 2 == 0);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        assert_true(json_is_true(json_object_get(row, "bits_equal")));
        assert_true(record_number(row, "processes") == 3);
    }
    json_decref(document);
}

/* ---- The decision, of rows that are made up -------------------------------------------------- */

/* Ten cells of six processes; of the last one b takes `factor` times as long, scattered by
 * `spread`. */
static json_t *made_rows(double factor, double spread, const char *status, const char *outputs)
{
    json_t *rows = json_array();
    for (int n = 1; n <= 10; n++) {
        json_t *low = json_array();
        for (int p = 0; p < 6; p++)
            json_array_append_new(low, json_real((n < 10 ? 1 : factor) * (100 + p % 3 * 0.1) *
                                                 (n < 10 ? 1 : 1 + spread * (p - 2.5) / 5)));
        json_array_append_new(
            rows,
            json_pack("{s:s, s:o, s:s, s:s, s:i, s:i, s:i, s:s, s:f, s:f, s:f, s:s, s:o, s:s}",
                      "record", "timing", "id",
                      json_sprintf("moments/twopass/dtype=f32/isa=avx2/cc=gcc-12/policy=off/"
                                   "rows=2/n=%d/threads=1",
                                   n),
                      "variant", "moments/twopass/dtype=f32/isa=avx2/cc=gcc-12/policy=off",
                      "family", "normal", "rows", 2, "n", n, "threads", 1, "status",
                      n < 10 ? "ok" : status, "ns_per_row", 100.0, "ci_low", 99.0, "ci_high", 101.0,
                      "block", "b", "low_ns", low, "outputs", n < 10 ? "same" : outputs));
    }
    return rows;
}

TEST(the_decision_follows_from_every_row)
{
    static const struct {
        double factor, spread, detect;
        const char *status, *outputs, *gates;
        int code;
    } cases[] = {
        {1, 0, 2, "ok", "same", " time bits ", EXIT_DONE},
        {2, 0, 2, "ok", "same", " time ", EXIT_GATE},
        {1.2, 0.05, 2, "ok", "same", " time ", EXIT_GATE},
        {1, 0.5, 1.2, "ok", "same", " time ", EXIT_PARTIAL},
        {1, 0.5, 10, "ok", "same", " time ", EXIT_DONE},
        {2, 0, 2, "ok", "same", "", EXIT_DONE},
        {1, 0, 2, "sigsegv", "same", " time ", EXIT_GATE},
        {1, 0, 2, "ok", "other", " time ", EXIT_DONE},
        {1, 0, 2, "ok", "other", " time bits ", EXIT_GATE},
    };
    json_t *head = json_pack("{s:i, s:{s:s, s:[]}, s:{s:s, s:s}}", "schema", 1, "machine", "slug",
                             "made-up", "features", "tool", "version", "0", "commit", "0");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_db l;
        struct error e = {""};
        json_t *a = made_rows(1, 0, "ok", "same");
        json_t *b = made_rows(cases[i].factor, cases[i].spread, cases[i].status, cases[i].outputs);
        const struct compare_side sides[] = {{"a", a}, {"b", b}};
        const struct compare_request q = {
            .margin = 0.05, .gates = cases[i].gates, .detect = cases[i].detect};
        int code = compare_open_sides(&q, head, sides, &l, &e);
        if (code) fail_msg("case %zu: %s", i, e.text);
        code = judge_gate(&l, &e);
        if (code != cases[i].code) fail_msg("case %zu: %d: %s", i, code, e.text);
        lab_close(&l);
        json_decref(a);
        json_decref(b);
    }
    json_decref(head);
}

static void write_program(const char *path, const char *document)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", document);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

TEST(other_programs_are_refused)
{
    char older[300], newer[300], strange[300];
    snprintf(older, sizeof older, "%s/older", scratch);
    snprintf(newer, sizeof newer, "%s/newer", scratch);
    snprintf(strange, sizeof strange, "%s/strange", scratch);
    write_program(older, "{\"variants\": [{\"id\": \"x\", \"status\": \"ok\"}]}");
    write_program(newer, "{\"variants\": [{\"id\": \"x\"}], \"bench_protocol\": 1000}");
    write_program(strange, "no JSON");
    const struct {
        const char *other, *says;
    } cases[] = {{older, "older protocol"},
                 {newer, "newer protocol"},
                 {strange, "not a program of this lab"},
                 {"/nowhere/ulplab", "No such file"},
                 {NULL, "name one other program"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drive d = {.program = own, .arguments = {"duel", cases[i].other}};
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_USAGE, cases[i].says);
        drive_free(&o);
    }
}

TEST(nothing_in_common)
{
    need_the_build();
    struct drive d = {.program = own, .arguments = {"duel", slow, "--filter", "op=exp isa=scalar"}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_USAGE, "no variant in common");
    drive_free(&o);
}

/* ---- A pair ---------------------------------------------------------------------------------- */

#define SCALAR "/dtype=f32/isa=scalar/.*policy=off"

TEST(a_pair_is_one_line)
{
    struct drive list = {.program = own,
                         .arguments = {"list", "--filter", "moments/(twopass|cascade)" SCALAR}};
    struct outcome o = drive(&list);
    char a[256], b[256];
    snprintf(a, sizeof a, "%.*s", (int)strcspn(o.out, " "), o.out);
    const char *second = strchr(o.out, '\n') + 1;
    snprintf(b, sizeof b, "%.*s", (int)strcspn(second, " "), second);
    drive_free(&o);
    char pair[520];
    snprintf(pair, sizeof pair, "%s,%s", a, b);
    struct drive d = {.program = own,
                      .arguments = {"bench", "--pair", pair, "--seconds", "1", "--threads", "1",
                                    "--shapes", "2x200", "--json"}};
    json_t *document = document_of(&d, EXIT_DONE);
    assert_string_equal(record_text(document, "a"), a);
    assert_string_equal(record_text(document, "b"), b);
    assert_true(record_number(document, "processes") >= 6);
    assert_true(record_number(document, "low") <= record_number(document, "ratio"));
    assert_true(record_number(document, "ratio") <= record_number(document, "high"));
    json_decref(document);
}

TEST(pairs_that_make_no_sense)
{
    static const struct {
        const char *pair, *says;
    } cases[] = {
        {"moments/twopass" SCALAR, "give two"},
        {"moments/twopass,moments/cascade", "name one"},
        {"moments/nonesuch,moments/cascade", "no variant matches"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drive d = {.program = own, .arguments = {"bench", "--pair", cases[i].pair}};
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_USAGE, cases[i].says);
        drive_free(&o);
    }
}

/* ---- Precision ------------------------------------------------------------------------------- */

TEST(precision_goes_on_and_says_what_it_missed)
{
    struct drive near = {.program = own,
                         .arguments = {"bench", "--filter",
                                       "op=moments algorithm=twopass,cascade "
                                       "isa=scalar dtype=f32 policy=off",
                                       "--shapes", "2x200", "--threads", "1", "--precision",
                                       "0.000001", "--seconds", "1", "--quiet", "--no-limits"}};
    struct outcome o = drive(&near);
    assert_int_equal(o.code, EXIT_DONE);
    assert_non_null(strstr(o.out, "Not known within 1e-06%"));
    drive_free(&o);
    near.arguments[8] = "10000";
    o = drive(&near);
    assert_int_equal(o.code, EXIT_DONE);
    assert_null(strstr(o.out, "Not known within"));
    drive_free(&o);
}

TEST_GROUP(set_up, scratch_close)
