// SPDX-License-Identifier: MIT
/* Records of earlier versions of the lab are converted to today's form: log_softmax was a flag of
 * softmax's cells, and its errors were in a file of their own. */
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/load/codes.h"
#include "publish/load/earlier.h"
#include "publish/load/results.h"
#include "scratch.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#define REST "/dtype=f32/isa=avx2/cc=gcc-12/policy=off"
#define INVARIANT "softmax/invariant" REST
#define ONLINE "softmax/online" REST

static json_t *list(const char *text)
{
    json_error_t why;
    json_t *array = json_loads(text, 0, &why);
    if (!array) fail_msg("%s: %s", text, why.text);
    return array;
}

static void assert_text(const json_t *array, size_t i, const char *key, const char *want)
{
    assert_string_equal(record_text(json_array_get(array, i), key), want);
}

static void cells_and_errors_are_of_the_operation(void **state)
{
    (void)state;
    struct error e = {""};
    json_t *codegen = list("[{\"id\": \"" INVARIANT "\", \"code_hash\": \"aa\"},"
                           " {\"id\": \"" ONLINE "\", \"code_hash\": \"bb\"},"
                           " {\"id\": \"logsumexp/invariant" REST "\", \"code_hash\": \"cc\"}]");
    json_t *accuracy = list("[{\"id\": \"" INVARIANT "\", \"near_zero\": false}]");
    json_t *timing =
        list("[{\"record\": \"limit\", \"name\": \"load-L1\"},"
             " {\"record\": \"timing\", \"id\": \"" INVARIANT "/rows=2/n=64/threads=1\","
             "  \"variant\": \"" INVARIANT "\", \"block\": \"softmax/f32/2x64/threads=1/normal\"},"
             " {\"record\": \"timing\", \"id\": \"" INVARIANT "/rows=2/n=64/threads=1/log=1\","
             "  \"variant\": \"" INVARIANT "\", \"log\": true,"
             "  \"block\": \"softmax/f32/2x64/threads=1/normal/log=1\"},"
             " {\"record\": \"control\","
             "  \"id\": \"" INVARIANT "/rows=2/n=64/threads=1/log=1/control=1\","
             "  \"block\": \"softmax/f32/2x64/threads=1/normal/log=1\"}]");
    json_t *errors =
        list("[{\"id\": \"" INVARIANT "\", \"log\": true, \"near_zero\": false, \"n\": 64}]");
    assert_int_equal(earlier_log_softmax(codegen, accuracy, timing, errors, &e), 0);

    assert_text(timing, 1, "id", INVARIANT "/rows=2/n=64/threads=1");
    assert_text(timing, 1, "block", "softmax/f32/2x64/threads=1/normal");
    assert_text(timing, 2, "id", "log_" INVARIANT "/rows=2/n=64/threads=1");
    assert_text(timing, 2, "variant", "log_" INVARIANT);
    assert_text(timing, 2, "block", "log_softmax/f32/2x64/threads=1/normal");
    assert_null(json_object_get(json_array_get(timing, 2), "log"));
    assert_text(timing, 3, "id", "log_" INVARIANT "/rows=2/n=64/threads=1/control=1");
    assert_text(timing, 3, "block", "log_softmax/f32/2x64/threads=1/normal");

    assert_int_equal(json_array_size(accuracy), 2);
    assert_text(accuracy, 0, "id", INVARIANT);
    assert_true(json_is_false(json_object_get(json_array_get(accuracy, 0), "near_zero")));
    assert_text(accuracy, 1, "id", "log_" INVARIANT);
    assert_true(json_is_true(json_object_get(json_array_get(accuracy, 1), "near_zero")));

    /* Kernels that were asked for log_softmax get codegen records for it. */
    assert_int_equal(json_array_size(codegen), 4);
    assert_text(codegen, 0, "id", INVARIANT);
    assert_text(codegen, 3, "id", "log_" INVARIANT);
    assert_text(codegen, 3, "code_hash", "aa");

    /* Records in today's form are not changed. */
    json_t *again[] = {json_deep_copy(codegen), json_deep_copy(accuracy), json_deep_copy(timing)};
    json_t *none = json_array();
    assert_int_equal(earlier_log_softmax(again[0], again[1], again[2], none, &e), 0);
    assert_true(json_equal(again[0], codegen) && json_equal(again[1], accuracy) &&
                json_equal(again[2], timing));
    json_t *const all[] = {codegen, accuracy, timing, errors, none, again[0], again[1], again[2]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) json_decref(all[i]);
}

#define NORM "layernorm/invariant" REST

/* Earlier versions measured layernorm without gamma and beta; today's records say that it has them.
 */
static void layernorm_was_bare(void **state)
{
    (void)state;
    json_t *accuracy = list("[{\"id\": \"" NORM "\"}, {\"id\": \"" INVARIANT "\"}]");
    json_t *timing = list("[{\"id\": \"" NORM "/rows=2/n=64/threads=1\", \"variant\": \"" NORM
                          "\", \"block\": \"layernorm/f32/2x64/threads=1/normal\"}]");
    json_t *diverge =
        list("[{\"record\": \"class\", \"op\": \"layernorm\", \"representative\": \"" NORM
             "\", \"members\": [\"" NORM "\"]}]");
    json_t *const all[] = {accuracy, timing, diverge};
    json_t *today = json_deep_copy(accuracy);
    json_object_set_new(json_array_get(today, 0), "affine", json_true());
    json_t *kept = json_deep_copy(diverge);
    earlier_layernorm(today, timing, &kept, 1);
    assert_true(json_equal(kept, diverge));
    earlier_layernorm(accuracy, timing, all, 3);
    assert_text(accuracy, 0, "id", "layernorm_bare/invariant" REST);
    assert_text(accuracy, 1, "id", INVARIANT);
    assert_text(timing, 0, "id", "layernorm_bare/invariant" REST "/rows=2/n=64/threads=1");
    assert_text(timing, 0, "variant", "layernorm_bare/invariant" REST);
    assert_text(timing, 0, "block", "layernorm_bare/f32/2x64/threads=1/normal");
    assert_text(diverge, 0, "op", "layernorm_bare");
    const json_t *members = json_object_get(json_array_get(diverge, 0), "members");
    assert_string_equal(json_string_value(json_array_get(members, 0)),
                        "layernorm_bare/invariant" REST);
    /* A second conversion changes nothing. */
    json_t *again = json_deep_copy(timing);
    earlier_layernorm(accuracy, timing, all, 3);
    assert_true(json_equal(again, timing));
    json_t *const made[] = {accuracy, timing, diverge, today, kept, again};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) json_decref(made[i]);
}

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
    struct results r;
    struct codes codes;
    struct error e = {""};
    const char *before = scratch_path("before"), *after = scratch_path("after");
    make_folders(before, after);
    assert_int_equal(results_read(before, &r, &e), 0);
    assert_int_equal(r.timing_count, 2);
    assert_string_equal(r.timings[1].axes.op, "log_softmax");
    assert_int_equal(r.accuracy_count, 2); /* and the variant with equal bits */
    assert_string_equal(r.accuracies[1].axes.op, "log_softmax");
    assert_string_equal(error_unit(&r, "log_softmax"), "u");
    assert_int_equal(codes_read(&r, &codes, &e), 0);
    assert_string_equal(code_of(&codes, "log_" INVARIANT), "aa");
    codes_free(&codes);
    results_free(&r);

    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"compare", before, after, "--json"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = list(o.out);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_and_errors_are_of_the_operation),
        cmocka_unit_test(layernorm_was_bare),
        cmocka_unit_test(folders_compare),
        cmocka_unit_test(an_archive_is_brought_up_to_date),
        cmocka_unit_test(an_archive_gains_the_last_tables),
        cmocka_unit_test(a_folder_is_read_as_it_is_today),
    };
    return cmocka_run_group_tests_name("earlier", tests, scratch_open, scratch_close);
}
