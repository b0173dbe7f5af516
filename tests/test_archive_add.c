// SPDX-License-Identifier: MIT
/* How the lines of a folder become rows of an archive: runs of earlier versions are converted,
 * unusual spellings of JSON give the same rows, a malformed file is refused whichever it is, and
 * contents that another process removes while a run is added are stored again. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "publish/archive/archive.h"
#include "publish/db/db.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#define HOME "build-archive-add/"
#define RUN HOME "run"
#define ID(kernel) kernel "/dtype=f32/isa=avx2/cc=gcc-12/policy=off"

static void shell(const char *command)
{
    if (system(command) != 0) fail_msg("%s", command);
}

static int set_up(void **state)
{
    (void)state;
    shell("rm -rf " HOME "; mkdir -p " HOME);
    return 0;
}

static void add_kernel(const char *variant)
{
    add_timing(RUN, variant,
               (struct timing_facts){
                   .rows = 4, .n = 100, .processes = 5, .ns_per_row = 300, .spread = 0.02});
    add_codegen(RUN, variant, "gcc-12", "", "c0de", 0, 0);
    add_accuracy(RUN, variant, (struct accuracy_facts){.max_ulp = 2, .mean_ulp = 0.5});
}

static void make_run(const char *variant)
{
    make_folder(RUN, (struct run_facts){.slug = "cpu"});
    add_kernel(variant);
}

/* Adds the run; returns whether that succeeded. */
static bool add(const char *db, struct error *e)
{
    struct lab_db l;
    struct archive_outcome outcome;
    if (db_open(&l, db, LAB_WRITE, e)) fail_msg("%s", e->text);
    const int code = archive_add(&l, RUN, &outcome, e);
    lab_close(&l);
    if (code) assert_int_equal(code, EXIT_BAD_INPUT);
    return !code;
}

/* Asserts one value of one row, as text. */
static void assert_value(const char *db, const char *sql, const char *value)
{
    sqlite3 *handle;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open_v2(db, &handle, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &s, NULL), SQLITE_OK);
    const int state = sqlite3_step(s);
    if (value) {
        assert_int_equal(state, SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(s, 0), value);
    } else {
        assert_int_equal(state, SQLITE_DONE);
    }
    sqlite3_finalize(s);
    sqlite3_close(handle);
}

/* Earlier versions called layernorm_bare layernorm: rows whose records do not say that they are
 * affine. */
static void an_earlier_layernorm_is_bare(void **state)
{
    (void)state;
    static const char *const queries[] = {"SELECT group_concat(DISTINCT op) FROM timings",
                                          "SELECT group_concat(op) FROM accuracies",
                                          "SELECT group_concat(op) FROM machine_codes"};
    struct error e = {""};
    make_run(ID("layernorm/twopass"));
    assert_true(add(HOME "norm.db", &e));
    for (size_t i = 0; i < 3; i++) assert_value(HOME "norm.db", queries[i], "layernorm_bare");
    make_run(ID("layernorm/twopass"));
    shell("sed -i 's/\"hazard\"/\"affine\": true, &/' " RUN "/accuracy.jsonl");
    assert_true(add(HOME "affine.db", &e));
    for (size_t i = 0; i < 3; i++) assert_value(HOME "affine.db", queries[i], "layernorm");
    /* The record that says so may already be in the archive, and thus not be read again. */
    shell("sed -i 's/\"ci_low\"/\"later\": 1, &/' " RUN "/timing.jsonl");
    assert_true(add(HOME "affine.db", &e));
    assert_value(HOME "affine.db", "SELECT count(*) FROM runs", "2");
    assert_value(HOME "affine.db", queries[0], "layernorm");
}

/* Earlier versions recorded log_softmax as a flag of softmax's records, with its errors in a file
 * of their own. */
static void an_earlier_log_is_an_operation(void **state)
{
    (void)state;
    struct error e = {""};
    make_run(ID("softmax/threepass"));
    shell("sed 's/threads=1\"/threads=1\\/log=1\"/; s/\"family\"/\"log\": true, &/' " RUN
          "/timing.jsonl >" HOME "log; cat " HOME "log >>" RUN "/timing.jsonl; "
          "sed 's/policy=off\"/&, \"log\": true/; s/\"max_ulp\": 2/\"max_ulp\": 3/' " RUN
          "/accuracy.jsonl >" RUN "/log_softmax.jsonl");
    assert_true(add(HOME "log.db", &e));
    assert_value(HOME "log.db", "SELECT group_concat(op) FROM (SELECT op FROM timings ORDER BY op)",
                 "log_softmax,softmax");
    assert_value(HOME "log.db", "SELECT worst_ulp FROM accuracies WHERE op = 'log_softmax'", "3.0");
    assert_value(HOME "log.db", "SELECT hash FROM machine_codes WHERE op = 'log_softmax'", "c0de");
}

/* Measure 2 records lost results and the verdict on the promise. */
static void lost_results_are_infinite(void **state)
{
    (void)state;
    static const char *const db = HOME "lost.db";
    struct error e = {""};
    make_run(ID("exp/own"));
    add_accuracy(RUN, ID("exp/band"),
                 (struct accuracy_facts){.max_ulp = 0.6, .mean_ulp = 0.25, .verdict = "kept"});
    add_accuracy(RUN, ID("exp/band"),
                 (struct accuracy_facts){
                     .n = 65, .max_ulp = 0.6, .mean_ulp = 0.25, .nan = 3, .verdict = "broken"});
    append(
        RUN, "scan.jsonl",
        "{\"record\": \"scan\", \"id\": \"" ID(
            "exp/band") "\", \"range\": \"all\","
                        " \"max_ulp\": 0.9, \"lost\": 7, \"measure\": 2, \"verdict\": \"broken\"}");
    assert_true(add(db, &e));
    assert_value(db,
                 "SELECT lost || ' ' || measure || ' ' || verdict FROM accuracies "
                 "WHERE algorithm = 'band'",
                 "3 2 broken");
    assert_value(db,
                 "SELECT max_ulp > 1e300 AND worst_ulp > 1e300 AND mean_ulp > 1e300 "
                 "FROM accuracies WHERE algorithm = 'band'",
                 "1");
    assert_value(db,
                 "SELECT max_ulp FROM accuracies WHERE algorithm = 'own' AND lost IS NULL "
                 "AND measure IS NULL AND verdict IS NULL",
                 "2.0");
    assert_value(db, "SELECT lost FROM scanned WHERE max_ulp > 1e300 AND verdict = 'broken'", "7");
}

static void unusual_lines_are_read(void **state)
{
    (void)state;
    struct error e = {""};
    make_run(ID("exp/own"));
    append(RUN, "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"a\\u0062\\n\xc3\xa4\", \"isa\": \"avx2\", "
           "\"value\": 1e300, \"unit\": \"B/s\", \"threads\": 1}");
    append(RUN, "accuracy.jsonl",
           "{\"id\": \"" ID("exp/other") "\", \"also\": [\"" ID(
               "exp/third") "\", \"exp\\/own/"
                            "dtype=f32/isa=avx512/cc=gcc-12/policy=off\"], \"status\": \"ok\", "
                            "\"family\": "
                            "\"normal\", \"n\": 64, \"max_ulp\": 1, \"mean_ulp\": 0.25, \"bits\": "
                            "\"b\"}");
    assert_true(add(HOME "unusual.db", &e));
    assert_value(HOME "unusual.db", "SELECT name FROM limits WHERE value = 1e300", "ab  \xc3\xa4");
    assert_value(HOME "unusual.db", "SELECT count(*) FROM accuracies WHERE max_ulp = 1", "3");
    assert_value(HOME "unusual.db",
                 "SELECT max_ulp FROM accuracies WHERE variant = 'exp/own/dtype=f32/isa=avx512/"
                 "cc=gcc-12/policy=off'",
                 "1.0");
}

/* Files without rows in the archive are read, too; the error of the first malformed file is
 * reported. */
static void a_malformed_file_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *line, *says;
    } bad[] = {
        {"diverge.jsonl", "{\"a\": 1, \"a\": 2}", "diverge.jsonl:1: duplicate"},
        {"scan.jsonl", "[]", "scan.jsonl:1: not an object"},
        {"search.jsonl", "{\"a\": 1", "search.jsonl:1: "},
        {"certificate.jsonl", "{}\n{\"a\": \"\xff\"}", "certificate.jsonl:2: "},
        {"accuracy.jsonl", "{\"id\": \"exp\"}", "accuracy.jsonl: row 2 has no variant id"},
        {"timing.jsonl", "{\"record\": \"timing\"}", "timing.jsonl: row 2 has no variant id"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error e = {""};
        make_run(ID("exp/own"));
        append(RUN, bad[i].name, "%s", bad[i].line);
        assert_false(add(HOME "bad.db", &e));
        if (!strstr(e.text, bad[i].says)) fail_msg("'%s' does not say %s", e.text, bad[i].says);
    }
    assert_value(HOME "bad.db", "SELECT 1 FROM runs", NULL);
}

/* While this run is added, a trigger replaces another run and deletes contents that no run uses any
 * more, as a second process would. */
static void a_content_that_vanishes_is_stored_again(void **state)
{
    (void)state;
    struct error e = {""};
    const char *db = HOME "vanish.db";
    make_run(ID("exp/own"));
    assert_true(add(db, &e));
    assert_value(db, "DELETE FROM files", NULL);
    assert_value(db, "DELETE FROM cells", NULL);
    assert_value(db, "DELETE FROM runs", NULL);
    assert_value(db, "SELECT count(*) > 1 FROM blobs", "1");
    assert_value(db,
                 "CREATE TRIGGER away AFTER INSERT ON runs BEGIN "
                 "DELETE FROM codes; DELETE FROM errors; DELETE FROM blobs; END",
                 NULL);
    assert_true(add(db, &e));
    assert_value(db, "SELECT count(*) FROM accuracies", "1");
    assert_value(db, "SELECT count(*) FROM machine_codes", "1");
    assert_value(db, "SELECT count(*) FROM timings", "1");
    assert_value(db,
                 "SELECT count(*) FROM files f LEFT JOIN blobs b ON b.id = f.blob "
                 "WHERE b.id IS NULL",
                 "0");
}

static int tear_down(void **state)
{
    (void)state;
    shell("rm -rf " HOME);
    return 0;
}

/* ---- What a shell's results/\* names --------------------------------------------------------- */

#define GLOB HOME "glob/"

/* Runs the program on the expanded names; returns its exit code. */
static int run_on(const char *command)
{
    char line[800];
    snprintf(line, sizeof line, "'%s' %s >" HOME "out 2>" HOME "err", drive_program("ulplab"),
             command);
    return WEXITSTATUS(system(line));
}

static bool said(const char *words)
{
    char line[200];
    snprintf(line, sizeof line, "grep -qF '%s' " HOME "err", words);
    return system(line) == 0;
}

/* Makes two runs, the first without a date although its file is newer, beside folders that are
 * none. */
static void make_glob(void)
{
    shell("rm -rf " GLOB "; mkdir -p " GLOB "empty; echo picture >" GLOB "cpus.png");
    make_run("softmax/" ID("online"));
    shell("cp -r " RUN " " GLOB "dated; cp -r " RUN " " GLOB "undated;"
          "sed -i 's/, \"started\": \"[^\"]*\"//; s/\"slug\": \"cpu\"/\"slug\": \"old\"/' " GLOB
          "undated/machine.json; touch -d 2020-01-01 " GLOB "dated/machine.json");
}

static void what_is_no_folder_of_results_is_skipped(void **state)
{
    (void)state;
    static const char *const commands[] = {"report " GLOB "* --out " HOME "together",
                                           "compare " GLOB "* --by cpu",
                                           "policy " GLOB "empty " GLOB "cpus.png " GLOB "dated",
                                           "export " GLOB "dated " GLOB "cpus.png " GLOB "empty",
                                           "archive add " GLOB "* --to " GLOB "lab.db",
                                           "archive add " GLOB "* --to " GLOB
                                           "lab.db"}; /* matches itself by now */
    make_glob();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const int code = run_on(commands[i]);
        if (code != EXIT_DONE) fail_msg("%s: %d", commands[i], code);
        assert_true(said("note: skipped: " GLOB "cpus.png: no folder of results"));
        assert_true(said("note: skipped: " GLOB "empty: no folder of results"));
    }
    /* Refused: names that leave no run; a name that does not exist is an error even among others.
     */
    static const char *const refused[] = {
        "archive add " GLOB "empty " GLOB "cpus.png --to " HOME "no.db",
        "report " GLOB "empty " GLOB "cpus.png",
        "compare " GLOB "empty " GLOB "cpus.png",
        "policy " GLOB "empty " GLOB "cpus.png",
        "export " GLOB "empty " GLOB "cpus.png",
        "archive add " GLOB "dated " GLOB "mistyped --to " HOME "no.db"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const int code = run_on(refused[i]);
        if (code != EXIT_BAD_INPUT) fail_msg("%s: %d", refused[i], code);
    }
}

/* The modification time of a file does not date the run: a copy has another. */
static void an_unknown_date_is_unknown(void **state)
{
    (void)state;
    make_glob();
    assert_int_equal(run_on("archive add " GLOB "* --to " HOME "dates.db"), EXIT_DONE);
    assert_value(HOME "dates.db",
                 "SELECT group_concat(started, '|') FROM "
                 "(SELECT started FROM runs ORDER BY started)",
                 "|2026-11-21T06:00:00Z");
    assert_int_equal(run_on("archive list " HOME "dates.db:latest --json"), EXIT_DONE);
    shell("grep -q 2026-11-21T06:00:00Z " HOME "out");
    assert_int_equal(run_on("archive list " HOME "dates.db"), EXIT_DONE);
    shell("grep -q '^[0-9a-f]* *old .* unknown ' " HOME "out");
    assert_int_equal(run_on("archive list " HOME "dates.db:machine=old --json"), EXIT_DONE);
    shell("grep -q '\"started\": *null' " HOME "out");
    assert_int_equal(run_on("compare " GLOB "dated " GLOB "undated --by cpu --json"), EXIT_DONE);
    shell("grep -q '\"started\": *null' " HOME "out");
    assert_int_equal(run_on("export " GLOB "undated --format gbench"), EXIT_DONE);
    shell("grep -q '\"date\": \"unknown\"' " HOME "out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_folder_of_results_is_skipped),
        cmocka_unit_test(an_unknown_date_is_unknown),
        cmocka_unit_test(an_earlier_layernorm_is_bare),
        cmocka_unit_test(an_earlier_log_is_an_operation),
        cmocka_unit_test(lost_results_are_infinite),
        cmocka_unit_test(unusual_lines_are_read),
        cmocka_unit_test(a_malformed_file_is_refused),
        cmocka_unit_test(a_content_that_vanishes_is_stored_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
