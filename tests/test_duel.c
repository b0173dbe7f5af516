// SPDX-License-Identifier: MIT
/* duel, bench --pair and bench --precision from the command line. The one assertion about time is
 * that a kernel that does its work twenty times takes longer. */
// test: 12 s of a core
#include <sys/stat.h>

#include "base/error.h"
#include "drive.h"
#include "facts.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/sql/judge.h"
#include "scratch.h"

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
    char id[DRIVE_ID];
    if (access(slow, X_OK) != 0 || !drive_first_id(own, "moments/twopass isa=avx2", id)) {
        puts("skipped: no AVX2 here, or build/duel is not built");
        skip();
    }
}

/* Asserts that a ratio lies within its interval. */
static void assert_ratio(const json_t *row)
{
    assert_facts(row, "low<=%.17g high>=%.17g", record_number(row, "ratio"),
                 record_number(row, "ratio"));
}

#define TWOPASS "'moments/twopass isa=avx2 policy=off dtype=f32'"

TEST(a_slower_build_is_found)
{
    need_the_build();
    json_t *document =
        drive_json(own, EXIT_DONE, "duel %s --filter " TWOPASS " --threads 1 --json", slow);
    const json_t *rows = json_object_get(document, "rows"), *row;
    size_t i;
    assert_every(rows, 1, "ratio<0.6 verdict=faster bits_equal=false");
    json_array_foreach(rows, i, row) assert_ratio(row);
    assert_facts(document, "geomean.ratio<0.6");
}

TEST(the_gate_is_for_what_got_slower)
{
    need_the_build();
    struct outcome o =
        drive_line(slow, "duel %s --filter " TWOPASS " --threads 1 --threshold 3 --quiet", own);
    assert_one_error(&o, EXIT_GATE, "slower");
    assert_non_null(strstr(o.out, "differ"));
}

TEST(the_same_program_has_the_same_bits)
{
    need_the_build();
    json_t *document = drive_json(own, EXIT_DONE,
                                  "duel %s --filter " TWOPASS " --shapes 3x77,1x1000 --threads 1 "
                                  "--processes 3 --samples 4 --json",
                                  own);
    const json_t *rows = json_object_get(document, "rows");
    assert_every(rows, 2, "bits_equal=true processes=3");
    assert_true(json_array_size(rows) % 2 == 0);
}

/* ---- The decision, of rows that are made up -------------------------------------------------- */

/* Ten cells of six processes; of the last one b takes `factor` times as long, scattered by
 * `spread`. */
static json_t *made_rows(double factor, double spread, const char *status, const char *outputs)
{
    json_t *rows = keep(json_array());
    for (int n = 1; n <= 10; n++) {
        json_t *low = keep(json_array());
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
    json_t *head =
        keep(json_pack("{s:i, s:{s:s, s:[]}, s:{s:s, s:s}}", "schema", 1, "machine", "slug",
                       "made-up", "features", "tool", "version", "0", "commit", "0"));
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
    }
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
                 {"", "name one other program"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(own, EXIT_USAGE, cases[i].says, "duel %s", cases[i].other);
}

TEST(nothing_in_common)
{
    need_the_build();
    assert_says(own, EXIT_USAGE, "no variant in common", "duel %s --filter 'op=exp isa=scalar'",
                slow);
}

/* ---- A pair ---------------------------------------------------------------------------------- */

#define SCALAR "/dtype=f32/isa=scalar/.*policy=off"

TEST(a_pair_is_one_line)
{
    char a[DRIVE_ID], b[DRIVE_ID];
    drive_first_id(own, "moments/twopass" SCALAR, a);
    drive_first_id(own, "moments/cascade" SCALAR, b);
    json_t *document = drive_json(
        own, EXIT_DONE, "bench --pair %s,%s --seconds 1 --threads 1 --shapes 2x200 --json", a, b);
    assert_facts(document, "a=%s b=%s processes>=6", a, b);
    assert_ratio(document);
}

TEST(pairs_that_make_no_sense)
{
    static const struct {
        const char *pair, *says;
    } cases[] = {
        {"moments/twopass" SCALAR, "give two"},
        {"moments/twopass,moments/cascade", "give one id"},
        {"moments/nonesuch,moments/cascade", "no variant matches"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(own, EXIT_USAGE, cases[i].says, "bench --pair %s", cases[i].pair);
}

/* ---- Precision ------------------------------------------------------------------------------- */

TEST(precision_goes_on_and_says_what_it_missed)
{
    static const char *const within[] = {"0.000001", "10000"};
    for (size_t i = 0; i < 2; i++) {
        struct outcome o = drive_line(
            own,
            "bench --filter 'op=moments algorithm=twopass,cascade isa=scalar dtype=f32 policy=off' "
            "--shapes 2x200 --threads 1 --precision %s --seconds 1 --quiet --no-limits",
            within[i]);
        assert_int_equal(o.code, EXIT_DONE);
        assert_int_equal(strstr(o.out, "not known to within 1e-06%") != NULL, i == 0);
        assert_int_equal(strstr(o.out, "not known to within") != NULL, i == 0);
    }
}

TEST_GROUP(set_up, scratch_close)
