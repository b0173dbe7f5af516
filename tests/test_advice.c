// SPDX-License-Identifier: MIT
/* Which variants may be advised, from records with known errors: those that keep their promise,
 * users' kernels without one, variants that lost results, and the limit of --max-ulp. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h" /* before cmocka.h: its macro fail() hides the lab's function */
#include "model/record.h"
#include "publish/export/summary_file.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/render/rows.h"
#include "publish/sections/report.h"

#include "page.h"
#include "synthetic.h"

#define HOME "/tmp/ulplab-advice"
#define ID(kernel, policy) "exp/" kernel "/dtype=f32/isa=avx2/cc=gcc-12/policy=" policy

/* Adds one kernel: a time, an error on `normal`, and the verdict of its record. */
static void add_kernel(const char *variant, double ns, struct accuracy_facts f)
{
    add_timing(HOME, variant,
               (struct timing_facts){
                   .rows = 2, .n = 64, .processes = 6, .ns_per_row = 64 * ns, .spread = 0.01});
    add_accuracy(HOME, variant, f);
}

static void add_scan(const char *variant, double max_ulp, size_t nan, const char *verdict)
{
    append(HOME, "scan.jsonl",
           "{\"record\": \"scan\", \"id\": \"%s\", \"range\": \"all\", \"status\": \"ok\","
           " \"measure\": 2, \"lost\": %zu, \"verdict\": \"%s\", \"max_ulp\": %.9g,"
           " \"at\": \"0x1p+0\", \"misrounded\": 0.01, \"mean_ulp\": 0.25, \"bias_ulp\": 0,"
           " \"counts\": {\"nan\": %zu, \"inf\": 0, \"sign\": 0, \"flushed\": 0},"
           " \"binades\": {\"from\": [\"0x1p+0\"], \"max_ulp\": [%.9g], \"at\": [\"0x1p+0\"],"
           " \"mean_ulp\": [0.25], \"misrounded\": [0.01]}}",
           variant, nan, verdict, max_ulp, nan, max_ulp);
}

/* Makes a run whose slowest variant alone is correct: none of the faster ones may be advised. */
static void begin(void)
{
    make_folder(HOME, (struct run_facts){.seed = 1});
    add_kernel(ID("right", "off"), 8, (struct accuracy_facts){.max_ulp = 1, .verdict = "kept"});
}

struct opened {
    struct report report;
    struct error e;
};

static void open_report(struct opened *o, double bar)
{
    if (report_open(HOME, bar, &o->report, &o->e)) fail_msg("%s", o->e.text);
}

/* Asserts the algorithm that the report and summary.json name as the fastest. */
static void assert_fastest(const char *algorithm, double bar)
{
    struct opened o;
    open_report(&o, bar);
    json_t *rows = rows_json(&o.report.db,
                             "SELECT s.algorithm FROM choices c JOIN summary s ON s.variant = "
                             "c.fastest WHERE c.grp = 'exp'",
                             &o.e);
    const char *named = record_text(json_array_get(rows, 0), "algorithm");
    assert_string_equal(*named ? named : "none", algorithm ? algorithm : "none");
    json_decref(rows);
    if (algorithm && bar == advice_bar) {
        char *text = NULL;
        size_t size = 0;
        if (summary_text(&o.report.db, &text, &size, &o.e)) fail_msg("%s", o.e.text);
        json_t *summary = json_loadb(text, size, 0, NULL);
        const char *fastest =
            record_text(json_array_get(json_object_get(summary, "rows"), 0), "fastest");
        assert_true(!strncmp(fastest, algorithm, strlen(algorithm)));
        assert_true(record_number(summary, "bar") == advice_bar);
        json_decref(summary);
        free(text);
    }
    report_close(&o.report);
}

static void a_promise_that_was_kept_is_advised(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("faster", "off"), 4, (struct accuracy_facts){.max_ulp = 2, .verdict = "kept"});
    assert_fastest("faster", advice_bar);
    assert_fastest("right", 1.5);
    assert_fastest(NULL, 0.5);
}

static void what_broke_a_promise_is_not(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("broken", "off"), 4,
               (struct accuracy_facts){.max_ulp = 2, .status = "wrong", .verdict = "broken"});
    add_kernel(ID("died", "off"), 2, (struct accuracy_facts){.max_ulp = 2, .verdict = "kept"});
    add_accuracy(HOME, ID("died", "off"),
                 (struct accuracy_facts){.n = 1001, .max_ulp = 2, .status = "sigsegv"});
    assert_fastest("right", advice_bar);
}

/* A user's kernel promises nothing: it is advised while it loses no result and errs by at most
 * --max-ulp. */
static void users_kernels_without_a_promise(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("zeros", "off"), 1,
               (struct accuracy_facts){.max_ulp = 16777216, .verdict = "measured"});
    add_kernel(ID("nanband", "off"), 2,
               (struct accuracy_facts){.max_ulp = 0.6, .nan = 12, .verdict = "measured"});
    add_kernel(ID("tail", "off"), 3,
               (struct accuracy_facts){.max_ulp = 0.6, .verdict = "measured"});
    add_accuracy(HOME, ID("tail", "off"),
                 (struct accuracy_facts){.n = 1001, .max_ulp = 8388608, .verdict = "measured"});
    assert_fastest("right", advice_bar);
    add_kernel(ID("mine", "off"), 4, (struct accuracy_facts){.max_ulp = 3, .verdict = "measured"});
    assert_fastest("mine", advice_bar);
}

/* If a build was scanned, its scan decides rather than the families; a build without a scan is
 * judged by all families. */
static void a_scan_judges(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("edge", "off"), 2, (struct accuracy_facts){.max_ulp = 0.6, .verdict = "kept"});
    add_scan(ID("edge", "off"), 2096816, 0, "kept");
    add_kernel(ID("lossy", "off"), 1, (struct accuracy_facts){.max_ulp = 0.6, .verdict = "kept"});
    add_scan(ID("lossy", "off"), 0.9, 45427, "measured");
    add_kernel(ID("wide", "off"), 3, (struct accuracy_facts){.max_ulp = 0.6, .verdict = "kept"});
    add_accuracy(HOME, ID("wide", "off"),
                 (struct accuracy_facts){.family = "wide", .max_ulp = 5, .verdict = "kept"});
    assert_fastest("right", advice_bar);
    assert_fastest("wide", 6);
}

/* Errors of tails are in the part of a scan that covers short rows. */
static void a_scans_short_rows_judge(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("tail", "off"), 1,
               (struct accuracy_facts){.max_ulp = 0.6, .verdict = "measured"});
    append(HOME, "scan.jsonl",
           "{\"record\": \"scan\", \"id\": \"%s\", \"range\": \"all\", \"status\": \"ok\","
           " \"measure\": 2, \"lost\": 0, \"verdict\": \"measured\", \"max_ulp\": 0.9,"
           " \"short\": {\"max_ulp\": 16777216, \"lost\": 0}}",
           ID("tail", "off"));
    assert_fastest("right", advice_bar);
}

/* Records of measure 1 have NaNs, infinities and zeros as counts only, and no verdict on promises.
 */
static void records_of_measure_1(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("nans", "off"), 1, (struct accuracy_facts){.max_ulp = 0.6, .nan = 3});
    add_kernel(ID("zero", "off"), 2, (struct accuracy_facts){.max_ulp = 0.6, .flushed = 65536});
    assert_fastest("right", advice_bar);
    add_kernel(ID("clean", "off"), 3, (struct accuracy_facts){.max_ulp = 0.6});
    assert_fastest("clean", advice_bar);
}

/* A table shows an infinite error for a variant that lost results, and so do means over it. */
static void lost_results_show(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("nanband", "off"), 2,
               (struct accuracy_facts){.max_ulp = 0.6, .nan = 12, .verdict = "measured"});
    add_accuracy(HOME, ID("nanband", "off"),
                 (struct accuracy_facts){.n = 65, .max_ulp = 0.6, .verdict = "measured"});
    struct opened o;
    open_report(&o, advice_bar);
    assert_int_equal(lab_number(&o.report.db,
                                "SELECT error = 9e999 AND worst_ulp = 9e999 AND mean_ulp = 9e999 "
                                "AND lost = 12 FROM summary WHERE algorithm = 'nanband'"),
                     1);
    report_close(&o.report);
}

/* Where no variant may be advised, the report says so, with the nearest one and the limit. */
static void nothing_within_the_bar_is_said(void **state)
{
    (void)state;
    make_folder(HOME, (struct run_facts){.seed = 1});
    add_kernel(ID("far", "off"), 4, (struct accuracy_facts){.max_ulp = 5.25, .verdict = "kept"});
    char *text = page_written(report_write, HOME);
    static const char *const said[] = {"within the bar of 4 ulp",
                                       "exp: no kernel is within the bar. The nearest, `far` avx2 "
                                       "gcc-12 `off`, errs by 5.25 ulp."};
    page_says(text, said, 2);
    free(text);
}

static void what_a_policy_loses_is_said(void **state)
{
    (void)state;
    begin();
    add_kernel(ID("right", "fastmath"), 2,
               (struct accuracy_facts){.max_ulp = 1, .verdict = "measured"});
    add_scan(ID("right", "off"), 1, 0, "kept");
    add_scan(ID("right", "fastmath"), 1, 1020169705, "measured");
    struct error e = {""};
    const struct policy_constraints usual = {.max_ulp = advice_bar};
    const char *home = HOME;
    struct lab_db db;
    if (db_read(&db, &home, 1, &e)) fail_msg("%s", e.text);
    if (facts_make(&db, advice_bar, &e) || policies_make(&db, &usual, &e)) fail_msg("%s", e.text);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(policies_write(&db, false, out, (struct terminal){.columns = 400}, false, &e),
                     0);
    fclose(out);
    static const char *const said[] = {"gcc-12 fastmath: NaN for 1,020,169,705 inputs of exp/right "
                                       "avx2 that off computes",
                                       "the bar of 4 ulp"};
    page_says(text, said, 2);
    json_t *document = policies_document(&db, HOME, &e);
    const json_t *losses = json_object_get(document, "losses"), *loss = json_array_get(losses, 0);
    assert_int_equal(json_array_size(losses), 1);
    assert_string_equal(record_text(loss, "id"), ID("right", "fastmath"));
    assert_string_equal(record_text(loss, "over"), "scan");
    assert_true(record_number(loss, "nan") == 1020169705);
    assert_true(record_number(document, "bar") == advice_bar);
    json_decref(document);
    free(text);
    lab_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_promise_that_was_kept_is_advised),
        cmocka_unit_test(what_broke_a_promise_is_not),
        cmocka_unit_test(users_kernels_without_a_promise),
        cmocka_unit_test(a_scan_judges),
        cmocka_unit_test(a_scans_short_rows_judge),
        cmocka_unit_test(records_of_measure_1),
        cmocka_unit_test(lost_results_show),
        cmocka_unit_test(nothing_within_the_bar_is_said),
        cmocka_unit_test(what_a_policy_loses_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
