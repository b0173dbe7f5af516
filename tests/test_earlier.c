// SPDX-License-Identifier: MIT
/* Records of earlier versions of the lab are converted to today's form: log_softmax was a flag of
 * softmax's cells, and its errors were in a file of their own. */
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/export/export.h"
#include "scratch.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#define REST "/dtype=f32/isa=avx2/cc=gcc-12/policy=off"
#define INVARIANT "softmax/invariant" REST
#define ONLINE "softmax/online" REST

/* Makes two folders, one in the earlier form and one in today's, with the same cells and code. */
static void make_folders(const char *before, const char *after)
{
    struct timing_facts facts = {.rows = 2, .n = 64, .processes = 7, .ns_per_row = 9};
    struct timing_facts log = facts;
    log.more = ", \"log\": true";
    make_folder(before, (struct run_facts){0});
    make_folder(after, (struct run_facts){0});
    add_timing(before, INVARIANT, facts);
    add_timing(before, INVARIANT, log);
    add_codegen(before, INVARIANT, "gcc-12", "-ffp-contract=off", "aa", 0, 0);
    append(before, "log_softmax.jsonl",
           "{\"record\": \"accuracy\", \"id\": \"" INVARIANT "\", \"log\": true, \"n\": 64,"
           " \"family\": \"normal\", \"status\": \"ok\", \"scaled_error\": 2.29,"
           " \"near_zero\": false, \"also\": [\"" ONLINE "\"]}");
    add_timing(after, INVARIANT, facts);
    add_timing(after, "log_" INVARIANT, facts);
    add_codegen(after, INVARIANT, "gcc-12", "-ffp-contract=off", "aa", 0, 0);
    add_codegen(after, "log_" INVARIANT, "gcc-12", "-ffp-contract=off", "aa", 0, 0);
}

static void folders_compare(void **state)
{
    (void)state;
    const char *before = scratch_path("before"), *after = scratch_path("after");
    make_folders(before, after);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"compare", before, after, "--json"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = json_loads(o.out, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(document, "rows")), 2);
    assert_int_equal(json_array_size(json_object_get(document, "beyond")), 0);
    json_decref(document);
    drive_free(&o);
}

/* ---- An archive ------------------------------------------------------------------------------ */

static int64_t number(const struct lab_db *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    struct error e = {""};
    if (lab_prepare(l, sql, &s, &e) != 0) fail_msg("%s", e.text);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* Returns a file's text; the caller frees it. */
static char *text_of(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &size);
    assert_non_null(in);
    for (int c; (c = getc(in)) != EOF;) putc(c, out);
    fclose(in);
    fclose(out);
    return text;
}

/* tests/archive-1.sql is an archive of the first schema, as `archive add` of version 0.1.0 (commit
 * 67fec02) left it: three runs, one of them of a still earlier version. */
static void an_archive_is_brought_up_to_date(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    const char *path = scratch_path("lab.db");
    char *sql = text_of("tests/archive-1.sql");
    if (lab_connect(&l, path, LAB_WRITE, &e) || lab_execute(&l, sql, &e)) fail_msg("%s", e.text);
    free(sql);
    lab_close(&l);
    for (enum lab_mode mode = LAB_READ; mode <= LAB_WRITE; mode++) {
        if (db_open(&l, path, mode, &e) != 0) fail_msg("%s", e.text);
        assert_int_equal(number(&l, "PRAGMA user_version"), LAB_VERSION);
        assert_int_equal(number(&l, "SELECT count(*) FROM timings"), 7);
        assert_int_equal(number(&l, "SELECT count(*) FROM cells JOIN runs ON timing = blob "
                                    "WHERE run = 'second'"),
                         2);
        assert_int_equal(number(&l, "SELECT 1e6 * ns FROM timings WHERE op = 'softmax' AND isa = "
                                    "'avx2' AND run = 'second'"),
                         1718750);
        assert_int_equal(number(&l, "SELECT 1e6 * ns FROM timings WHERE op = 'log_softmax'"),
                         937500);
        assert_int_equal(number(&l, "SELECT count(*) FROM timings WHERE op = 'layernorm_bare'"), 1);
        assert_int_equal(number(&l, "SELECT 100 * max_u FROM accuracies WHERE op = 'log_softmax'"),
                         225);
        assert_int_equal(number(&l, "SELECT count(*) FROM accuracies"), 7);
        assert_int_equal(number(&l, "SELECT count(*) FROM machine_codes WHERE hash = 'c0'"), 2);
        assert_int_equal(number(&l, "SELECT count(*) FROM studied"), 2);
        assert_int_equal(number(&l, "SELECT count(*) FROM cases"), 1); /* of one content */
        assert_int_equal(number(&l, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
        lab_close(&l);
    }
}

/* An archive of version 2 has all tables but the last ones. */
static void an_archive_gains_the_last_tables(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    const char *path = scratch_path("two.db");
    if (db_open(&l, path, LAB_WRITE, &e) ||
        lab_execute(
            &l,
            "DROP TABLE instructions; DROP TABLE cores; DROP TABLE flags; DROP TABLE flag_sets; "
            "ALTER TABLE cell_details DROP "
            "COLUMN shapes; ALTER TABLE divergences DROP COLUMN unit; PRAGMA user_version = 2; "
            "INSERT INTO machines(slug) VALUES('kept')",
            &e))
        fail_msg("%s", e.text);
    lab_close(&l);
    for (enum lab_mode mode = LAB_READ; mode <= LAB_WRITE; mode++) {
        if (db_open(&l, path, mode, &e) != 0) fail_msg("%s", e.text);
        assert_int_equal(number(&l, "PRAGMA user_version"), LAB_VERSION);
        assert_int_equal(number(&l, "SELECT count(*) FROM machines WHERE slug = 'kept'"), 1);
        assert_int_equal(number(&l, "SELECT count(*) FROM instructions"), 0);
        lab_close(&l);
    }
}

/* A folder read into memory gives the same rows. */
static void a_folder_is_read_as_it_is_today(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    const char *before = scratch_path("before"), *after = scratch_path("after");
    make_folders(before, after);
    if (db_read(&l, (const char *const[]){before, after}, 2, &e)) fail_msg("%s", e.text);
    assert_int_equal(number(&l, "SELECT count(*) FROM timings WHERE op = 'log_softmax'"), 2);
    assert_int_equal(number(&l, "SELECT count(*) FROM machine_codes WHERE hash = 'aa'"), 4);
    assert_int_equal(number(&l, "SELECT count(*) FROM measured_errors WHERE op = 'log_softmax'"),
                     2);
    lab_close(&l);
}

/* Returns the exported record of that id; the caller frees it. */
static json_t *exported(const char *text, const char *id)
{
    json_t *record = NULL;
    for (const char *end; !record && (end = strchr(text, '\n')); text = end + 1) {
        record = json_loadb(text, (size_t)(end - text), 0, NULL);
        if (strcmp(record_text(record, "id"), id) != 0) json_decref(record), record = NULL;
    }
    if (!record) fail_msg("no record of %s", id);
    return record;
}

#define NORM "layernorm/invariant" REST

/* layernorm was measured without gamma and beta, log_softmax was a flag, and a cell of two modes
 * had the time between them. */
static void records_are_written_as_they_are_today(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    const char *before = scratch_path("before");
    char *text = NULL;
    size_t size = 0;
    make_folders(before, scratch_path("after"));
    add_timing(before, NORM,
               (struct timing_facts){.rows = 2, .n = 64, .processes = 7, .ns_per_row = 9});
    append(before, "timing.jsonl",
           "{\"record\": \"timing\", \"id\": \"" ONLINE "/rows=2/n=64/threads=1\", \"rows\": 2, "
           "\"n\": 64, \"threads\": 1, \"family\": \"normal\", \"status\": \"ok\", "
           "\"ns_per_row\": 200, \"ci_low\": 100, \"ci_high\": 300, \"spread\": 2, \"flags\": [], "
           "\"process_medians_ns\": [100, 101, 99, 100, 100, 300, 301]}");
    if (db_read_whole(&l, before, &e)) fail_msg("%s", e.text);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(export_write(&l, "jsonl", out, &e), 0);
    fclose(out);
    lab_close(&l);

    json_t *record = exported(text, "log_" INVARIANT);
    assert_string_equal(record_text(record, "op"), "log_softmax");
    assert_true(json_is_true(json_object_get(record, "near_zero")));
    assert_null(json_object_get(record, "log"));
    json_decref(record);
    record = exported(text, "log_" ONLINE); /* the variant with equal bits */
    assert_null(json_object_get(record, "also"));
    json_decref(record);
    json_decref(exported(text, "log_" INVARIANT "/rows=2/n=64/threads=1"));
    record = exported(text, "layernorm_bare/invariant" REST "/rows=2/n=64/threads=1");
    assert_string_equal(record_text(record, "op"), "layernorm_bare");
    json_decref(record);
    record = exported(text, ONLINE "/rows=2/n=64/threads=1");
    assert_true(record_number(record, "ns_per_row") < 102);
    assert_true(record_number(record, "ci_high") >= 100 && record_number(record, "ci_high") < 102);
    assert_int_equal(json_integer_value(json_object_get(record, "modes.1.processes")), 2);
    json_decref(record);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_compare),
        cmocka_unit_test(an_archive_is_brought_up_to_date),
        cmocka_unit_test(an_archive_gains_the_last_tables),
        cmocka_unit_test(a_folder_is_read_as_it_is_today),
        cmocka_unit_test(records_are_written_as_they_are_today),
    };
    return cmocka_run_group_tests_name("earlier", tests, scratch_open, scratch_close);
}
