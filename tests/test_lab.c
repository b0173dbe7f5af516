// SPDX-License-Identifier: MIT
/* The archive of runs: contents are preserved byte for byte, a run is counted once however often
 * and by however many processes it is added, and commands read a run from it as from its folder. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "publish/archive/archive.h"
#include "publish/db/db.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#define HOME "build-lab/"
#define DB HOME "lab.db"
#define VARIANT(isa, cc, policy) "softmax/threepass/dtype=f32/isa=" isa "/cc=" cc "/policy=" policy
#define OFF VARIANT("avx2", "gcc-12", "off")

static void shell(const char *command)
{
    if (system(command) != 0) fail_msg("%s", command);
}

static struct outcome ulplab(const char *a, const char *b, const char *c, const char *d,
                             const char *f, const char *g)
{
    return drive(
        &(struct drive){.program = drive_program("ulplab"), .arguments = {a, b, c, d, f, g, NULL}});
}

/* One night's run: `ns` is the time of the plain kernel under gcc-12 on AVX2, from which the other
 * times follow. */
struct night {
    const char *slug, *date, *commit, *code, *bits;
    double ns;
};

static void add_cell(const char *folder, const char *variant, double ns, const char *code,
                     const char *bits, double max_ulp)
{
    add_timing(folder, variant,
               (struct timing_facts){
                   .rows = 64, .n = 64, .processes = 5, .ns_per_row = ns, .spread = 0.02});
    add_codegen(folder, variant, "gcc-12", "-ffp-contract=off", code, 0, 0);
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = max_ulp, .mean_ulp = 0.25, .bits = bits});
}

static void make_night(const char *folder, struct night n)
{
    char command[400];
    make_folder(folder, (struct run_facts){.slug = n.slug, .commit = n.commit});
    snprintf(command, sizeof command,
             "sed -i 's/2026-11-21T06/%sT06/; s/\"findings\"/\"run\": \"%.4s%.10s\", &/' "
             "%s/machine.json",
             n.date, n.slug, n.date, folder);
    shell(command);
    add_cell(folder, OFF, n.ns, n.code, n.bits, 1.5);
    add_cell(folder, VARIANT("avx2", "gcc-13", "off"), 0.5 * n.ns, "13", "b13", 2.5);
    add_cell(folder, VARIANT("avx512", "gcc-12", "off"), 0.25 * n.ns, "z", "bz", 1.75);
    append(folder, "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"flops-ymm\", \"isa\": \"avx2\", \"value\": 1.5e11,"
           " \"unit\": \"FLOP/s\", \"threads\": 1}");
    append(folder, "cases.jsonl",
           "{\"record\": \"case\", \"name\": \"fma-softmax\", \"verdict\": \"reproduced\"}");
}

static const struct night nights[] = {
    {"made-up", "2026-11-21", "aaaa", "c1", "b1", 100},
    {"made-up", "2026-11-22", "bbbb", "c2", "b2", 110},
    {"other", "2026-11-22", "bbbb", "c2", "b3", 50},
};

static int make_nights(void **state)
{
    (void)state;
    shell("rm -rf " HOME "; mkdir -p " HOME);
    for (size_t i = 0; i < 3; i++) {
        char folder[40];
        snprintf(folder, sizeof folder, HOME "%zu", i);
        make_night(folder, nights[i]);
    }
    struct outcome o = ulplab("archive", "add", HOME "0", HOME "1", HOME "2", "--to=" DB);
    if (o.code) fail_msg("%s", o.err);
    drive_free(&o);
    return 0;
}

static int64_t number(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return value;
}

/* ---- Runs in, runs out ----------------------------------------------------------------------- */

static void a_run_comes_out_byte_for_byte(void **state)
{
    (void)state;
    struct outcome o = ulplab("archive", "export", DB ":machine=other", HOME "out", NULL, NULL);
    assert_int_equal(o.code, 0);
    drive_free(&o);
    shell("diff -r " HOME "2 " HOME "out");
    o = ulplab("archive", "export", DB ":latest", HOME "out", NULL, NULL);
    assert_one_error(&o, EXIT_BAD_INPUT, "it holds results");
    drive_free(&o);
}

static void adding_again_changes_nothing(void **state)
{
    (void)state;
    shell("cp " DB " " HOME "before");
    struct outcome o = ulplab("archive", "add", HOME "0", HOME "1", "--to=" DB, NULL);
    assert_int_equal(o.code, 0);
    assert_non_null(strstr(o.out, "made2026-11-21 is there already"));
    drive_free(&o);
    shell("cmp " DB " " HOME "before");
    assert_int_equal(number(DB, "SELECT count(*) FROM runs"), 3);
    assert_int_equal(number(DB, "SELECT count(*) FROM cells"), 9);
}

/* Adding a resumed run replaces its earlier state, which cannot be added again. */
static void a_run_that_went_on_is_one_run(void **state)
{
    (void)state;
    const char *db = HOME "resumed.db";
    shell("rm -rf " HOME "part " HOME "whole; cp -r " HOME "0 " HOME "whole; cp -r " HOME "0 " HOME
          "part; head -1 " HOME "0/timing.jsonl >" HOME "part/timing.jsonl");
    const struct {
        const char *folder, *says;
        int64_t cells;
    } steps[] = {{HOME "part", " added: ", 1},
                 {HOME "whole", "went on: replaced", 3},
                 {HOME "part", "is there with more records: left", 3}};
    for (size_t i = 0; i < 3; i++) {
        struct outcome o =
            ulplab("archive", "add", steps[i].folder, "--to", HOME "resumed.db", NULL);
        assert_int_equal(o.code, 0);
        if (!strstr(o.out, steps[i].says)) fail_msg("'%s': not '%s'", o.out, steps[i].says);
        drive_free(&o);
        assert_int_equal(number(db, "SELECT count(*) FROM runs"), 1);
        assert_int_equal(number(db, "SELECT count(*) FROM cells"), steps[i].cells);
        assert_int_equal(number(db, "SELECT count(*) FROM blobs"),
                         number(db, "SELECT count(DISTINCT blob) FROM files"));
    }
}

/* Four processes add the same runs at once, to an archive that does not exist yet. */
static void processes_add_together(void **state)
{
    (void)state;
    char line[800];
    snprintf(line, sizeof line,
             "for i in 1 2 3 4; do '%s' archive add " HOME "0 " HOME "1 " HOME "2 --to " HOME
             "together.db >" HOME "together.$i 2>&1 & done; wait; "
             "cat " HOME "together.[1-4] >" HOME "together; ! grep -q 'ulplab: ' " HOME "together",
             drive_program("ulplab"));
    shell(line);
    assert_int_equal(number(HOME "together.db", "SELECT count(*) FROM runs"), 3);
    assert_int_equal(number(HOME "together.db", "SELECT count(*) FROM cells"), 9);
    shell("[ $(grep -c ' added: ' " HOME "together) = 3 ]");
}

/* A process that is killed leaves the archive as it was: rows of an incomplete run are gone when it
 * is opened again. */
static void a_full_disk_leaves_no_half_run(void **state)
{
    (void)state;
    shell("cp " DB " " HOME "full.db");
    shell("rm -rf " HOME "3; cp -r " HOME "0 " HOME "3; sed -i 's/made2026/more2026/' " HOME
          "3/machine.json; for i in $(seq 1 60000); do echo '{\"record\": \"case\", \"name\": \"'"
          "$i'\"}'; done >>" HOME "3/cases.jsonl");
    struct stat st;
    assert_int_equal(stat(HOME "full.db", &st), 0);
    struct drive d = {drive_program("ulplab"),
                      {"archive", "add", HOME "3", "--to", HOME "full.db", NULL},
                      .file_limit = (rlim_t)st.st_size + 8192};
    struct outcome o = drive(&d);
    assert_int_not_equal(o.code, 0);
    drive_free(&o);
    assert_int_equal(number(HOME "full.db", "SELECT count(*) FROM runs"), 3);
    assert_int_equal(number(HOME "full.db", "SELECT count(*) FROM studied"), 3);
    o = ulplab("archive", "add", HOME "3", "--to", HOME "full.db", NULL);
    assert_int_equal(o.code, 0);
    drive_free(&o);
    assert_int_equal(number(HOME "full.db", "SELECT count(*) FROM runs"), 4);
}

static void runs_share_what_is_the_same(void **state)
{
    (void)state;
    /* Three nights of three files each and machine.json; cases.jsonl is the same every night. */
    assert_int_equal(number(DB, "SELECT count(*) FROM files"), 15);
    assert_int_equal(number(DB, "SELECT count(*) FROM blobs"), 12);
    assert_int_equal(number(DB, "SELECT count(DISTINCT blob) FROM files WHERE name = "
                                "'cases.jsonl'"),
                     1);
    assert_int_equal(number(DB, "SELECT count(*) FROM codes"), 6); /* the files of two contents */
}

/* ---- Selectors ------------------------------------------------------------------------------- */

static void selectors_name_runs(void **state)
{
    (void)state;
    static const struct {
        const char *selector;
        size_t count;
    } cases[] = {{"", 3},
                 {"latest", 1},
                 {"machine=made-up", 2},
                 {"made", 2},
                 {"date=2026-11-22", 2},
                 {"machine=made-up,latest", 1},
                 {"commit=bb", 2},
                 {"run=made2026-11-2", 2},
                 {"commit=cccc", 0},
                 {"mode=default", 3}};
    struct lab_db l;
    struct error e = {""};
    assert_int_equal(db_open(&l, DB, LAB_READ, &e), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t *runs;
        size_t count;
        assert_int_equal(lab_select(&l, cases[i].selector, &runs, &count, &e), 0);
        if (count != cases[i].count) fail_msg("%s: %zu runs", cases[i].selector, count);
        free(runs);
    }
    int64_t *runs, run;
    size_t count;
    assert_int_equal(lab_select(&l, "colour=red", &runs, &count, &e), EXIT_USAGE);
    assert_int_equal(lab_select_one(&l, "made", &run, &e), EXIT_USAGE);
    assert_non_null(strstr(e.text, "2 runs"));
    lab_close(&l);
}

static void commands_read_a_run_as_its_folder(void **state)
{
    (void)state;
    static const char *const commands[][3] = {
        {"compare %s --by isa --json", HOME "1", DB ":machine=made-up,latest"},
        {"policy %s --json", HOME "1", DB ":run=made2026-11-22"},
        {"export %s --format csv", HOME "2", DB ":other"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[300], line[900];
        for (size_t k = 1; k < 3; k++) {
            snprintf(command, sizeof command, commands[i][0], commands[i][k]);
            snprintf(line, sizeof line,
                     "'%s' %s >" HOME "said.%zu 2>&1; sed -i 's|%s|PLACE|' " HOME "said.%zu",
                     drive_program("ulplab"), command, k, commands[i][k], k);
            shell(line);
        }
        shell("cmp " HOME "said.1 " HOME "said.2 && [ -s " HOME "said.1 ]");
    }
    struct outcome o = ulplab("report", DB ":latest", NULL, NULL, NULL, NULL);
    assert_one_error(&o, EXIT_USAGE, "say with --out where to");
    drive_free(&o);
    o = ulplab("report", DB ":other", "--out", HOME "report", NULL, NULL);
    assert_int_equal(o.code, 0);
    assert_string_equal(o.out, HOME "report/report.md\n");
    drive_free(&o);
    o = ulplab("compare", DB ":made,date=2026-11-21", DB ":made,latest", "--by", "commit", NULL);
    assert_int_equal(o.code, 0);
    assert_non_null(strstr(o.out, "1 of 3 rows compare different machine code."));
    drive_free(&o);
}

static void lists_and_shows(void **state)
{
    (void)state;
    struct outcome o = ulplab("archive", "list", DB, NULL, NULL, NULL);
    assert_int_equal(o.code, 0);
    assert_non_null(strstr(o.out, "made2026-11-21"));
    assert_non_null(strstr(o.out, "made2026-11-22"));
    drive_free(&o);
    o = ulplab("archive", "show", DB ":other", "--json", NULL, NULL);
    json_t *document = json_loads(o.out, 0, NULL);
    const json_t *run = json_object_get(document, "run");
    assert_string_equal(json_string_value(json_object_get(run, "machine")), "other");
    assert_int_equal(json_integer_value(json_object_get(run, "cells")), 3);
    assert_int_equal(json_array_size(json_object_get(run, "files")), 5);
    json_decref(document);
    drive_free(&o);
}

static void what_is_no_archive_is_told(void **state)
{
    (void)state;
    shell("echo 'no database, but long enough to be taken for one' >" HOME "text.db");
    shell("sqlite3 " HOME "foreign.db 'CREATE TABLE t(x)' 2>/dev/null || : >" HOME "foreign.db");
    const struct {
        const char *words[3], *says;
        int code;
    } cases[] = {
        {{"list", HOME "none.db", NULL}, "unable to open", EXIT_BAD_INPUT},
        {{"list", HOME "text.db", NULL}, "not a database", EXIT_BAD_INPUT},
        {{"list", HOME "foreign.db", NULL}, "not an archive of this version", EXIT_BAD_INPUT},
        {{"list", HOME "0", NULL}, "no archive; name a file", EXIT_USAGE},
        {{"add", HOME "0", NULL}, "--to: missing", EXIT_USAGE},
        {{"add", HOME "none", "--to=" DB}, "not a folder of results", EXIT_BAD_INPUT},
        {{"melt", NULL}, "none of add, list, show, export", EXIT_USAGE},
        {{"show", DB, NULL}, "3 runs", EXIT_USAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome o = ulplab("archive", cases[i].words[0], cases[i].words[1],
                                  cases[i].words[1] ? cases[i].words[2] : NULL, NULL, NULL);
        assert_one_error(&o, cases[i].code, cases[i].says);
        drive_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_out_byte_for_byte),
        cmocka_unit_test(adding_again_changes_nothing),
        cmocka_unit_test(a_run_that_went_on_is_one_run),
        cmocka_unit_test(processes_add_together),
        cmocka_unit_test(a_full_disk_leaves_no_half_run),
        cmocka_unit_test(runs_share_what_is_the_same),
        cmocka_unit_test(selectors_name_runs),
        cmocka_unit_test(commands_read_a_run_as_its_folder),
        cmocka_unit_test(lists_and_shows),
        cmocka_unit_test(what_is_no_archive_is_told),
    };
    int failed = cmocka_run_group_tests(tests, make_nights, NULL);
    return failed || system("rm -rf " HOME);
}
