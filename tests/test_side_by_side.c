// SPDX-License-Identifier: MIT
/* Comparisons of cells that were timed in the rounds of one block: in these results a process may
 * be off by 20%, and by the same factor in all cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/compare/compare.h"
#include "publish/db/db.h"
#include "model/record.h"
#include "publish/policy/policy.h"
#include "publish/sql/facts.h"
#include "publish/sections/report.h"

#include "synthetic.h"

#include "page.h" /* last: its macro fail() hides the lab's function */

static char folder[] = "/tmp/ulplab-side-by-side-XXXXXX";

enum { PROCESSES = 6, KERNELS = 5 };

/* Adds a cell of `ratio` times 100 ns. */
static void add(const char *algorithm, const char *policy, double ratio, double jitter,
                const char *block)
{
    static const double common[PROCESSES] = {1, 1.2, 0.95, 1.1, 0.9, 1.05};
    char variant[200], more[800];
    size_t used = (size_t)snprintf(more, sizeof more, ", \"block\": \"%s\", \"low_ns\": [", block);
    for (int p = 0; p < PROCESSES; p++)
        used += (size_t)snprintf(more + used, sizeof more - used, "%s%.9g", p ? ", " : "",
                                 100 * ratio * common[p] * (1 + jitter * (p % 2 ? 1 : -1)));
    snprintf(more + used, sizeof more - used, "]");
    snprintf(variant, sizeof variant, "softmax/%s/dtype=f32/isa=avx2/cc=gcc-12/policy=%s",
             algorithm, policy);
    add_timing(folder, variant,
               (struct timing_facts){.rows = 2,
                                     .n = 64,
                                     .processes = PROCESSES,
                                     .ns_per_row = 100 * ratio,
                                     .spread = 0.3,
                                     .more = more});
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = 2, .mean_ulp = 0.5, .bits = policy});
}

/* Adds a control, a cell timed twice, whose ratio is known within half_width. */
static void add_control(double ratio, double half_width, const char *block)
{
    append(folder, "timing.jsonl",
           "{\"record\": \"control\", \"id\": \"x\", \"family\": \"normal\", \"block\": \"%s\", "
           "\"threads\": 1, \"residency\": \"L1\", \"ratio\": %g, \"low\": %g, \"high\": %g, "
           "\"processes\": 6}",
           block, ratio, ratio * (1 - half_width), ratio * (1 + half_width));
}

static int set_up(void **state)
{
    static const char *const names[KERNELS] = {"a", "b", "c", "d", "e"};
    static const double fast[KERNELS] = {1 / 1.1, 1 / 1.1, 1 / 1.1, 1.004, 1.001};
    (void)state;
    if (!mkdtemp(folder)) return -1;
    make_folder(folder, (struct run_facts){0});
    for (int k = 0; k < KERNELS; k++) {
        add(names[k], "off", 1, 0.001, "softmax/f32/2x64/threads=1/normal");
        add(names[k], "fast", fast[k], 0.001, "softmax/f32/2x64/threads=1/normal");
    }
    for (int i = 0; i < 100; i++)
        add_control(1 + (i % 2 ? 1 : -1) * 0.00006 * i, 0.003, "softmax/f32/2x64/threads=1/normal");
    return 0;
}

static int tear_down(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void compare_policies(struct comparison *c, double margin)
{
    struct error e = {""};
    const char *const words[] = {folder, "off", "fast"};
    const struct compare_request q = {
        .words = words, .word_count = 3, .by = "policy", .margin = margin};
    if (compare_open(&q, c, &e)) fail_msg("%s", e.text);
}

/* Returns whether the row of a kernel fulfils a condition. */
static bool row_is(const struct comparison *c, const char *algorithm, const char *condition)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM temp.compare_rows WHERE cell LIKE 'softmax/%s/%%' AND %s",
             algorithm, condition);
    return lab_number(&c->l, sql) == 1;
}

static void rows_are_compared_by_their_ratios(void **state)
{
    (void)state;
    struct comparison c;
    char sql[200];
    compare_policies(&c, compare_usual_margin);
    assert_int_equal(c.rows, KERNELS);
    assert_true(
        row_is(&c, "a",
               "sided AND processes_a = 6 AND abs(ratio - 1 / 1.1) < 1e-6 AND high - low < 0.001"));
    assert_true(row_is(&c, "a", "verdict = 'faster'"));
    /* The difference is significant, but within the margin. */
    assert_true(row_is(&c, "e", "verdict = 'same'"));
    /* The interval of the mean is over processes, because all cells of one err together. */
    snprintf(sql, sizeof sql,
             "SELECT abs(ratio - %.12g) < 1e-6 AND high - low < 0.001 FROM temp.compare_means "
             "WHERE op = 'softmax' AND "
             "level = ''",
             exp((3 * log(1 / 1.1) + log(1.004) + log(1.001)) / KERNELS));
    assert_int_equal(lab_number(&c.l, sql), 1);
    compare_close(&c);
}

/* A difference that identical code shows as well gives no verdict, whatever its p and the margin.
 */
static void noise_is_no_difference(void **state)
{
    (void)state;
    struct comparison c;
    compare_policies(&c, 0.0001);
    assert_int_equal(lab_number(&c.l, "SELECT p95 > 0.0055 AND p95 < 0.006 FROM temp.identical "
                                      "JOIN temp.compare_sides USING (run) WHERE side = 0"),
                     1);
    assert_true(row_is(&c, "a", "verdict = 'faster'"));
    assert_true(row_is(
        &c, "d", "verdict = 'unknown' AND why = 'identical code is as far apart in this run'"));
    compare_close(&c);
}

static void policies_have_paired_speeds(void **state)
{
    (void)state;
    struct lab_db db;
    struct error e = {""};
    const struct policy_constraints none = {.max_ulp = NAN};
    if (db_read(&db, (const char *const[]){folder}, 1, &e)) fail_msg("%s", e.text);
    if (facts_make(&db, NAN, &e) || policies_make(&db, &none, &e)) fail_msg("%s", e.text);
    json_t *document = policies_document(&db, folder, &e), *row;
    double logs = (3 * log(1.1) - log(1.004) - log(1.001)) / KERNELS;
    size_t i, seen = 0;
    json_array_foreach(json_object_get(document, "policies"), i, row)
    {
        const json_t *ends = json_object_get(row, "speed_interval");
        if (strcmp(record_text(row, "policy"), "fast") != 0) continue;
        seen++;
        assert_true(fabs(record_number(row, "speed") - exp(logs)) < 1e-6);
        assert_true(json_number_value(json_array_get(ends, 1)) -
                        json_number_value(json_array_get(ends, 0)) <
                    0.001);
    }
    assert_int_equal(seen, 1);
    json_decref(document);
    lab_close(&db);
}

static void the_report_says_how_far_to_trust_it(void **state)
{
    (void)state;
    char *page = page_sections(folder);
    static const char *const said[] = {"Identical code, timed twice in this run: 95% within",
                                       "100 pairs).", "Gain: 1.058 times as fast as"};
    page_says(page, said, sizeof said / sizeof *said);
    assert_null(strstr(page, "was disturbed"));
    assert_null(strstr(page, "stayed unsteady"));
    free(page);
    /* A block whose controls are far from 1, and not known precisely. */
    for (int i = 0; i < 20; i++) add_control(1.2, 0.05, "softmax/f32/9x9/threads=1/normal");
    page = page_sections(folder);
    static const char *const now[] = {
        "**This run was disturbed**",
        "1 of 2 blocks of cells stayed unsteady: two timings of one code there are not known "
        "within 1% of each other: softmax/f32/9x9/threads=1/normal."};
    page_says(page, now, sizeof now / sizeof *now);
    free(page);
}

/* Cells of different blocks, or in records from before there were blocks. */
static void cells_that_were_not_timed_side_by_side(void **state)
{
    (void)state;
    struct lab_db db;
    struct error e = {""};
    if (db_read(&db, (const char *const[]){folder}, 1, &e)) fail_msg("%s", e.text);
    assert_int_equal(
        lab_number(&db,
                   "WITH cell(x, y, old) AS (SELECT "
                   "sample(1, 0.9, 1.1, 0, '[100,110,120]', 'x'), "
                   "sample(1, 0.9, 1.1, 0, '[100,110,120]', 'y'), sample(1, 0.9, 1.1, 0, '[]', ''))"
                   " SELECT pair_sided(x, x) AND pair(x, x) = 1 AND pair_low(x, x) = 1 AND "
                   "NOT pair_sided(x, y) AND abs(pair_low(x, y) - 0.9 / 1.1) < 1e-12 AND "
                   "pair_p(x, y) IS NULL AND NOT pair_sided(old, old) FROM cell"),
        1);
    lab_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_compared_by_their_ratios),
        cmocka_unit_test(noise_is_no_difference),
        cmocka_unit_test(policies_have_paired_speeds),
        cmocka_unit_test(the_report_says_how_far_to_trust_it),
        cmocka_unit_test(cells_that_were_not_timed_side_by_side),
    };
    return cmocka_run_group_tests_name("side by side", tests, set_up, tear_down);
}
