// SPDX-License-Identifier: MIT
/* compare: its statistics against published and independently computed values, its verdicts and
 * refusals on folders whose contents are known. */
/* Included before cmocka.h, whose macro fail() hides the lab's function. */
#include "cmd/commands.h"
#include "cmd/options_parse.h"
#include "measure/ranks.h"
#include "publish/compare/compare.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#include <math.h>
#include <string.h>

#define A "build-compare/a"
#define B "build-compare/b"
#define CELL(isa, policy) "softmax/threepass/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g", got, want);
}

#define SAMPLE(...)                                                                                \
    (struct sample)                                                                                \
    {                                                                                              \
        (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)      \
    }

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Hollander and Wolfe, Nonparametric Statistical Methods, 1973, page 69: permeability constants of
 * the human chorioamnion. R's ?wilcox.test has the same data: W = 35, p = 0.1272 one-sided; its
 * conf.int is [-0.15, 0.76] around 0.305. */
static void test_mann_whitney_and_hodges_lehmann_of_a_textbook(void **state)
{
    (void)state;
    struct sample x = SAMPLE(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46);
    struct sample y = SAMPLE(1.15, 0.88, 0.90, 0.74, 1.21);
    assert_near(compare_p(x, y), 0.2544122544, 1e-9);
    assert_near(compare_p(y, x), 0.2544122544, 1e-9);
    struct shift shift = compare_shift(y, x);
    assert_near(shift.estimate, 0.305, 1e-12);
    assert_near(shift.low, -0.15, 1e-12);
    assert_near(shift.high, 0.76, 1e-12);
}

/* If all values of one sample are below those of the other, the two-sided p is 2 of the 252 ways to
 * choose 5 of 10, and 2 of 20 for samples of 3. */
static void test_the_least_p_is_the_number_of_ways(void **state)
{
    (void)state;
    struct sample low = SAMPLE(1, 2, 3, 4, 5), high = SAMPLE(6, 7, 8, 9, 10);
    assert_near(compare_p(low, high), 2.0 / 252, 1e-15);
    assert_near(compare_least_p(5, 5), 2.0 / 252, 1e-15);
    assert_near(compare_least_p(3, 3), 0.1, 1e-15);
    assert_true(isnan(compare_p(low, (struct sample){NULL, 0})));
    /* 0.1 is above 5%: three against three has no interval of 95%. */
    struct shift shift = compare_shift(SAMPLE(1, 2, 3), SAMPLE(4, 5, 7));
    assert_near(shift.estimate, 3, 0);
    assert_true(isnan(shift.low) && isnan(shift.high));
}

/* scipy 1.10.1: permutation_test over all 1716 deals, statistic U; 0.10955710955710955. The normal
 * approximation would say 0.0985. */
static void test_ties_are_exact_in_small_samples(void **state)
{
    (void)state;
    assert_near(compare_p(SAMPLE(1, 1, 2, 3, 5, 5), SAMPLE(2, 3, 3, 5, 8, 9, 9)),
                0.10955710955710955, 1e-12);
    assert_near(compare_p(SAMPLE(4, 4, 4), SAMPLE(4, 4, 4, 4)), 1, 0);
}

/* scipy 1.10.1: mannwhitneyu(method='asymptotic'), 0.5971737414789684. */
static void test_large_samples_are_approximated_with_ties(void **state)
{
    (void)state;
    double a[20], b[20];
    for (int i = 0; i < 20; i++) {
        a[i] = i * 7 % 20;
        b[i] = i * 3 % 20 / 2 + 4;
    }
    assert_near(compare_p((struct sample){a, 20}, (struct sample){b, 20}), 0.5971737414789684,
                1e-12);
    assert_near(compare_p((struct sample){a, 20}, (struct sample){a, 20}), 1, 0);
}

/* The exact and the approximate interval agree where both are valid. */
static void test_the_exact_interval_meets_the_approximate_one(void **state)
{
    (void)state;
    double a[16], b[16];
    for (int i = 0; i < 16; i++) {
        a[i] = sqrt(i + 1);
        b[i] = sqrt(i + 1) + 0.5 + 0.01 * (i * 5 % 16);
    }
    struct shift exact = compare_shift((struct sample){a, 15}, (struct sample){b, 15});
    struct shift normal = compare_shift((struct sample){a, 16}, (struct sample){b, 16});
    assert_near(exact.estimate, normal.estimate, 0.05);
    assert_near(exact.low, normal.low, 0.1);
    assert_near(exact.high, normal.high, 0.1);
    assert_true(exact.low < exact.estimate && exact.estimate < exact.high);
}

/* Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995, section 4.1: fifteen p values of a trial;
 * at q = 0.05 the first four are discoveries (Bonferroni finds three). */
static void test_benjamini_and_hochberg_of_their_paper(void **state)
{
    (void)state;
    const double p[16] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                          0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000, NAN};
    double q[16];
    assert_int_equal(compare_q(p, q, 16), 0);
    for (size_t i = 0; i < 15; i++) assert_int_equal(q[i] <= 0.05, i < 4);
    assert_near(q[0], 0.0015, 1e-12);
    assert_near(q[3], 0.0095 * 15 / 4, 1e-12);
    /* An adjusted p value is at most that of a larger p: p(7) 15/7 is 0.0639, which exceeds p(5)
     * 15/5 = 0.0603 but not p(6) 15/6 = 0.0695. */
    assert_near(q[5], 0.0298 * 15 / 7, 1e-12);
    assert_true(isnan(q[15]));
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static struct timing_facts shape(size_t n, double ns, size_t processes)
{
    return (struct timing_facts){
        .rows = 64, .n = n, .ns_per_row = ns, .processes = processes, .spread = 0.01};
}

/* Makes five cells: b is 20% slower, 20% faster, equal, too noisy to tell, or has too few
 * processes. */
static int make_two_runs(void **state)
{
    (void)state;
    make_folder(A, (struct run_facts){0});
    make_folder(B, (struct run_facts){.commit = "ba9876543210"});
    const struct {
        size_t n;
        double a, b, spread;
        size_t processes;
    } cells[] = {{64, 100, 120, 0.01, 7},
                 {128, 200, 160, 0.01, 7},
                 {256, 400, 400.4, 0.01, 7},
                 {512, 800, 812, 0.30, 7},
                 {1024, 1600, 2400, 0.01, 3}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct timing_facts facts = shape(cells[i].n, cells[i].a, cells[i].processes);
        facts.spread = cells[i].spread;
        add_timing(A, CELL("avx2", "off"), facts);
        facts.ns_per_row = cells[i].b;
        add_timing(B, CELL("avx2", "off"), facts);
    }
    add_timing(A, CELL("avx2", "on"), shape(64, 100, 7)); /* a cell of one side only */
    add_accuracy(A, CELL("avx2", "off"), (struct accuracy_facts){.max_ulp = 2, .mean_ulp = 0.3});
    add_accuracy(A, CELL("avx2", "off"),
                 (struct accuracy_facts){.n = 65, .max_ulp = 1, .mean_ulp = 0.5, .bits = "01"});
    add_accuracy(B, CELL("avx2", "off"), (struct accuracy_facts){.max_ulp = 2, .mean_ulp = 0.3});
    add_accuracy(B, CELL("avx2", "off"),
                 (struct accuracy_facts){.n = 65, .max_ulp = 4, .mean_ulp = 0.7, .bits = "02"});
    return 0;
}

struct opened {
    struct comparison c;
    struct error e;
    int code;
};

static struct opened *open_words(const char *by, double margin, size_t count,
                                 const char *const *words)
{
    struct opened *o = calloc(1, sizeof *o);
    assert_non_null(o);
    o->code = compare_open(
        &(struct compare_request){
            .words = words, .word_count = count, .by = by, .home = A, .margin = margin},
        &o->c, &o->e);
    return o;
}
#define OPEN(by, ...)                                                                              \
    open_words(by, compare_usual_margin, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),   \
               (const char *const[]){__VA_ARGS__})

static void close_opened(struct opened *o)
{
    if (!o->code) compare_close(&o->c);
    free(o);
}

/* Returns the first value of a query as text; "" for NULL. */
static const char *told(const struct opened *o, const char *sql)
{
    static char text[400];
    sqlite3_stmt *s;
    struct error e = {""};
    if (o->code) fail_msg("%s", o->e.text);
    if (lab_prepare(&o->c.l, sql, &s, &e)) fail_msg("%s", e.text);
    const char *value =
        sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
    snprintf(text, sizeof text, "%s", value ? value : "");
    sqlite3_finalize(s);
    return text;
}

static double number(const struct opened *o, const char *sql)
{
    const char *text = told(o, sql);
    return !*text ? (double)NAN : !strcmp(text, "Inf") ? (double)INFINITY : strtod(text, NULL);
}

/* A column of compare_rows, or of the accuracy beside it, for cells with this n. */
#define ROW(o, n, column)                                                                          \
    told(o, "SELECT " column " FROM temp.compare_rows WHERE cell LIKE '%/n=" #n "/%'")
#define FIGURE(o, n, column)                                                                       \
    number(o, "SELECT " column " FROM temp.compare_rows WHERE cell LIKE '%/n=" #n "/%'")
#define ERROR(o, column)                                                                           \
    number(o, "SELECT " column " FROM temp.compare_accuracy WHERE \"from\" = 0")
#define BEYOND(o, side, why)                                                                       \
    number(o, "SELECT coalesce(sum(cells), 0) FROM temp.compare_beyond WHERE side " side           \
              " AND why LIKE '" why "'")

static void test_verdicts_of_two_runs(void **state)
{
    (void)state;
    struct opened *o = OPEN(NULL, A, B);
    assert_int_equal(o->code, 0);
    assert_int_equal(o->c.kind, COMPARE_RUNS);
    assert_int_equal(o->c.rows, 5);
    assert_true(BEYOND(o, "= 0", "%") == 1);
    assert_string_equal(ROW(o, 64, "verdict"), "slower");
    assert_near(FIGURE(o, 64, "ratio"), 1.2, 1e-6);
    assert_near(FIGURE(o, 64, "p"), 2.0 / 3432, 1e-12); /* 1 of binomial(14, 7), twice */
    assert_true(FIGURE(o, 64, "low") > 1.18 && FIGURE(o, 64, "high") < 1.22);
    assert_string_equal(ROW(o, 128, "verdict"), "faster");
    assert_string_equal(ROW(o, 256, "verdict"), "same");
    assert_string_equal(ROW(o, 512, "verdict"), "unknown");
    /* 50% slower in each of three processes gives no verdict: the smallest possible p is 1 of 20.
     */
    assert_string_equal(ROW(o, 1024, "verdict"), "unknown");
    assert_string_equal(ROW(o, 1024, "why"), "too few processes for any verdict");
    assert_true(FIGURE(o, 64, "q") >= FIGURE(o, 64, "p"));
    assert_true(number(o, "SELECT count(*) FROM temp.compare_rows WHERE verdict = 'slower'") == 1);
    /* The mean over ratios: (1.2 0.8 1.001 1.015 1.5) to the power 1/5. */
    assert_near(number(o, "SELECT ratio FROM temp.compare_means"),
                pow(1.2 * 0.8 * 1.001 * 1.015 * 1.5, 0.2), 1e-6);
    assert_true(
        isnan(number(o, "SELECT low FROM temp.compare_means"))); /* one cell has no interval, so the
                                                                    mean has none */
    close_opened(o);
}

static void test_accuracy_stands_beside(void **state)
{
    (void)state;
    struct opened *o = OPEN(NULL, A, B);
    assert_near(ERROR(o, "max_ulp_a"), 2, 0);
    assert_near(ERROR(o, "max_ulp_b"), 4, 0);
    assert_near(ERROR(o, "mean_ulp_a"), 0.4, 1e-12);
    assert_near(ERROR(o, "mean_ulp_b"), 0.5, 1e-12);
    assert_true(ERROR(o, "cells") == 2 && ERROR(o, "equal") == 1);
    close_opened(o);
}

/* A significant ratio within the margin is "same" if its whole interval is within the margin. */
static void test_a_regression_needs_the_threshold_too(void **state)
{
    (void)state;
    struct opened *o = open_words(NULL, 0.25, 2, (const char *const[]){A, B});
    assert_true(FIGURE(o, 64, "q") <= 0.05);
    assert_string_equal(ROW(o, 64, "verdict"), "same");
    assert_true(number(o, "SELECT count(*) FROM temp.compare_rows WHERE verdict = 'slower'") == 0);
    close_opened(o);
}

static void test_a_run_against_itself_is_the_same(void **state)
{
    (void)state;
    struct opened *o = OPEN(NULL, A, A);
    assert_int_equal(o->code, 0);
    assert_string_equal(ROW(o, 64, "verdict"), "same");
    assert_near(FIGURE(o, 64, "ratio"), 1, 1e-12);
    assert_near(FIGURE(o, 64, "p"), 1, 1e-12);
    assert_true(ERROR(o, "equal") == 2);
    close_opened(o);
}

/* A cell that was measured again has two lines in the file: the later one counts. */
static void test_the_later_line_of_a_cell_holds(void **state)
{
    (void)state;
    make_two_runs(NULL);
    add_timing(B, CELL("avx2", "off"), shape(64, 100, 7));
    struct opened *o = OPEN(NULL, A, B);
    assert_int_equal(o->c.rows, 5);
    assert_string_equal(ROW(o, 64, "verdict"), "same");
    close_opened(o);
    make_two_runs(NULL);
}

/* ---- One axis -------------------------------------------------------------------------------- */

#define AXIS "build-compare/axis"

static int make_axis(void **state)
{
    (void)state;
    static const char *const isas[] = {"avx2", "avx512"}, *const policies[] = {"off", "default",
                                                                               "fast"};
    make_two_runs(NULL);
    make_folder(AXIS, (struct run_facts){0});
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            char variant[200];
            snprintf(variant, sizeof variant,
                     "softmax/threepass/dtype=f32/isa=%s/cc=gcc-12/policy=%s", isas[i],
                     policies[k]);
            add_timing(AXIS, variant, shape(64, (i ? 60 : 100) * (k ? 0.9 : 1), 7));
            add_accuracy(AXIS, variant,
                         (struct accuracy_facts){.max_ulp = 2, .bits = k ? "fused" : "plain"});
        }
    add_timing(AXIS, "softmax/peer/dtype=f32/isa=avx2/cc=lib/policy=lib", shape(64, 50, 7));
    return 0;
}

static void test_two_values_of_an_axis(void **state)
{
    (void)state;
    struct opened *o = OPEN("policy", AXIS, "off", "fast");
    assert_int_equal(o->code, 0);
    assert_int_equal(o->c.rows, 2);
    assert_string_equal(
        told(o, "SELECT cell FROM temp.compare_rows"),
        "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=*/rows=64/n=64/threads=1");
    assert_string_equal(told(o, "SELECT group_concat(verdict) FROM temp.compare_rows"),
                        "faster,faster");
    assert_near(number(o, "SELECT min(ratio) FROM temp.compare_rows"), 0.9, 1e-6);
    assert_near(number(o, "SELECT max(ratio) FROM temp.compare_rows"), 0.9, 1e-6);
    assert_true(number(o, "SELECT sum(equal) FROM temp.compare_accuracy") == 0);
    close_opened(o);
}

/* Without values on the command line, all values of the folder are compared with the first.
 * Libraries are left out. */
static void test_an_axis_without_values_takes_them_all(void **state)
{
    (void)state;
    struct opened *o = OPEN("policy", AXIS);
    assert_int_equal(o->code, 0);
    assert_int_equal(o->c.sides, 3);
    assert_string_equal(told(o, "SELECT group_concat(name) FROM temp.compare_sides"),
                        "off,default,fast");
    assert_int_equal(o->c.rows, 4);
    assert_string_equal(
        told(o, "SELECT group_concat(members || ': ' || variants) FROM temp.compare_classes"),
        "off | default fast: 2");
    close_opened(o);
}

/* docs/contract.md: in "compare A B --by", A and B may be values; the folder is then the default
 * one. */
static void test_values_alone_mean_the_default_folder(void **state)
{
    (void)state;
    struct opened *o = OPEN("isa", "avx512", "avx2");
    assert_int_equal(o->code, EXIT_USAGE); /* folder A has no avx512 rows */
    assert_non_null(strstr(o->e.text, "avx512: neither a folder of results nor a isa"));
    close_opened(o);
    o = OPEN("isa", AXIS, "avx512", "avx2");
    assert_int_equal(o->code, 0);
    assert_near(number(o, "SELECT ratio FROM temp.compare_rows"), 100.0 / 60, 1e-6);
    assert_string_equal(told(o, "SELECT verdict FROM temp.compare_rows"), "slower");
    close_opened(o);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void assert_refused(struct opened *o, int code, const char *because)
{
    assert_int_equal(o->code, code);
    if (!strstr(o->e.text, because)) fail_msg("'%s' does not say '%s'", o->e.text, because);
    close_opened(o);
}

/* Makes B again, as if it came from another machine or run. */
static void remake_b(struct run_facts facts)
{
    make_folder(B, facts);
    add_timing(B, CELL("avx2", "off"), shape(64, 50, 7));
    add_timing(B, CELL("avx2", "on"), shape(64, 50, 7));
}

static void test_machines_are_compared_as_cpus_only(void **state)
{
    (void)state;
    remake_b((struct run_facts){.slug = "other"});
    struct opened *o = OPEN(NULL, A, B);
    assert_int_equal(o->code, 0);
    assert_int_equal(o->c.kind, COMPARE_CPUS);
    close_opened(o);
    assert_refused(OPEN("policy", A, B, "off", "on"), EXIT_BAD_INPUT, "different machines");
    o = OPEN("cpu", A, B);
    assert_int_equal(o->code, 0);
    close_opened(o);
}

static void test_other_seeds_and_schemas_are_refused(void **state)
{
    (void)state;
    remake_b((struct run_facts){.seed = 2});
    assert_refused(OPEN(NULL, A, B), EXIT_BAD_INPUT, "inputs of seed 1 against 2");
    remake_b((struct run_facts){.schema = 2});
    assert_refused(OPEN("cpu", A, B), EXIT_BAD_INPUT, "schema 1 against 2");
}

static void test_other_grids_are_said(void **state)
{
    (void)state;
    remake_b((struct run_facts){0});
    add_accuracy(B, CELL("avx2", "off"), (struct accuracy_facts){.max_ulp = 2, .grid = 2});
    struct opened *o = OPEN(NULL, A, B);
    assert_int_equal(o->code, 0);
    assert_true(o->c.grids_differ);
    close_opened(o);
}

/* Makes two folders of one cell each, with that many lost results; a verdict makes a record of
 * measure 2, NULL one of measure 1. */
static struct opened *open_errors(size_t lost_a, size_t lost_b, const char *verdict_a,
                                  const char *verdict_b)
{
    make_folder(A, (struct run_facts){.seed = 1});
    make_folder(B, (struct run_facts){.seed = 1});
    add_accuracy(A, CELL("avx2", "off"),
                 (struct accuracy_facts){.max_ulp = 2, .nan = lost_a, .verdict = verdict_a});
    add_accuracy(B, CELL("avx2", "off"),
                 (struct accuracy_facts){.max_ulp = 1, .nan = lost_b, .verdict = verdict_b});
    return OPEN(NULL, A, B);
}

static void test_lost_results_are_no_better(void **state)
{
    (void)state;
    char text[4096] = "";
    struct opened *o = open_errors(0, 12, "kept", "kept");
    assert_int_equal(o->code, 0);
    assert_near(ERROR(o, "max_ulp_a"), 2, 0);
    assert_true(isinf(ERROR(o, "max_ulp_b")) && ERROR(o, "lost_b") == 12);
    FILE *out = fmemopen(text, sizeof text, "w");
    compare_write(&o->c, out, (struct terminal){.columns = 400}, false);
    fclose(out);
    if (!strstr(text, "NaN for 12 results of")) fail_msg("not said: %s", text);
    close_opened(o);
}

static void test_measures_are_not_mixed(void **state)
{
    (void)state;
    char text[4096] = "";
    struct opened *o = open_errors(0, 0, NULL, "kept");
    assert_int_equal(o->code, 0);
    assert_true(isnan(ERROR(o, "max_ulp_a")) && isnan(ERROR(o, "max_ulp_b")));
    assert_true(ERROR(o, "cells") == 1); /* bits are compared in spite of that */
    assert_int_equal(o->c.unlike, 1);
    FILE *out = fmemopen(text, sizeof text, "w");
    compare_write(&o->c, out, (struct terminal){.columns = 400}, false);
    fclose(out);
    if (!strstr(text, "different measures")) fail_msg("not said: %s", text);
    close_opened(o);
}

/* ---- Which cells are compared ---------------------------------------------------------------- */

/* Makes both folders time avx2 under off and on; the code hash of `off` is "aaaa" in A, and `hash`
 * in B. */
static void make_two_codes(const char *hash)
{
    make_two_runs(NULL);
    add_codegen(A, CELL("avx2", "off"), "gcc-12", "-ffp-contract=off", "aaaa", 0, 0);
    add_codegen(A, CELL("avx2", "on"), "gcc-12", "-ffp-contract=on", "cccc", 0, 0);
    remake_b((struct run_facts){0});
    add_codegen(B, CELL("avx2", "off"), "gcc-12", "-ffp-contract=off", hash, 0, 0);
    add_codegen(B, CELL("avx2", "on"), "gcc-12", "-ffp-contract=on", "cccc", 0, 0);
}

static void test_cells_compare_where_the_code_is_the_same(void **state)
{
    (void)state;
    make_two_codes("aaaa");
    struct opened *o = OPEN(NULL, A, B);
    assert_int_equal(o->code, 0);
    const size_t both = o->c.rows;
    assert_true(BEYOND(o, "= 1", "other machine%") == 0);
    close_opened(o);

    make_two_codes("bbbb");
    o = OPEN(NULL, A, B);
    assert_int_equal(o->code, 0);
    assert_int_equal(o->c.rows, both - 1);
    assert_non_null(strstr(told(o, "SELECT cell FROM temp.compare_rows"), "policy=on/"));
    assert_true(BEYOND(o, "= 0", "other machine%") == 1);
    assert_true(BEYOND(o, "= 1", "other machine%") == 1);
    assert_true(BEYOND(o, "= 1", "timed%") == 0);
    assert_true(BEYOND(o, "> 0", "%") == 1);
    json_t *document = compare_document(&o->c);
    const json_t *beyond = json_object_get(document, "beyond");
    assert_true(json_array_size(beyond) >= 2);
    json_decref(document);
    close_opened(o);
}

/* Commits are compared by ids, whatever their code is; the comparison counts the cells whose code
 * changed. */
static void test_commits_compare_other_code(void **state)
{
    (void)state;
    make_two_codes("bbbb");
    struct opened *o = OPEN("commit", A, B);
    assert_int_equal(o->code, 0);
    assert_int_equal(o->c.kind, COMPARE_COMMITS);
    assert_int_equal(o->c.rows, 2);
    assert_int_equal(o->c.changed, 1);
    close_opened(o);
}

static void test_nothing_left_is_refused(void **state)
{
    (void)state;
    make_folder(A, (struct run_facts){0});
    add_timing(A, CELL("avx2", "off"), shape(64, 50, 7));
    add_codegen(A, CELL("avx2", "off"), "gcc-12", "-ffp-contract=off", "aaaa", 0, 0);
    remake_b((struct run_facts){0});
    add_codegen(B, CELL("avx2", "off"), "gcc-12", "-ffp-contract=off", "bbbb", 0, 0);
    assert_refused(OPEN(NULL, A, B), EXIT_USAGE, "the 1 that both timed ran other machine code");
}

#define PEER "softmax/peer-fake/dtype=f32/isa=avx2/cc=lib/policy=lib"

static void add_library(const char *folder, const char *version)
{
    char command[600];
    snprintf(command, sizeof command,
             "sed -i 's/\"mode\"/\"peers\": {\"fake\": \"%s\"}, \"mode\"/' %s/machine.json",
             version, folder);
    assert_int_equal(system(command), 0);
    add_timing(folder, PEER, shape(64, 50, 7));
}

static void test_libraries_compare_where_their_version_is_the_same(void **state)
{
    (void)state;
    make_two_runs(NULL);
    remake_b((struct run_facts){0});
    add_library(A, "Fake 1.0");
    add_library(B, "Fake 1.0");
    struct opened *o = OPEN(NULL, A, B);
    assert_int_equal(o->c.rows, 3);
    close_opened(o);
    remake_b((struct run_facts){0});
    add_library(B, "Fake 1.1");
    o = OPEN(NULL, A, B);
    assert_int_equal(o->c.rows, 2);
    assert_true(BEYOND(o, "= 0", "another%") == 1);
    assert_true(BEYOND(o, "= 1", "another%") == 1);
    close_opened(o);
}

static void test_what_makes_no_sense_is_said(void **state)
{
    (void)state;
    assert_refused(OPEN(NULL, A), EXIT_USAGE, "1 folders; give two");
    assert_refused(OPEN(NULL, A, "build-compare/none"), EXIT_BAD_INPUT, "not a folder of results");
    assert_refused(OPEN("colour", A, B), EXIT_USAGE, "--by colour: unknown");
    assert_refused(OPEN("cc", AXIS), EXIT_USAGE, "only one value of cc: gcc-12");
}

/* ---- The command ----------------------------------------------------------------------------- */

const struct command commands[] = {{"compare", "", "", "", cmd_compare, 0}, {0}};

static int run_command(const char *words, char *text, size_t size)
{
    char *argv[24] = {"ulplab", "compare"}, line[256], *save = NULL;
    int argc = 2;
    snprintf(line, sizeof line, "%s", words);
    for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) argv[argc++] = w;
    struct options o;
    struct error e = {.text = ""};
    int code = options_parse(argc, argv, &commands[0], &o, &e);
    struct capture capture = capture_stdout("build-compare/out");
    if (!code) code = cmd_compare(&o, &e);
    capture_end(&capture, text, size);
    snprintf(text + strlen(text), size - strlen(text), "%s", e.text);
    return code;
}

static void test_the_exit_code_is_the_gate(void **state)
{
    (void)state;
    static char text[1 << 16];
    make_two_runs(NULL);
    assert_int_equal(run_command(A " " B, text, sizeof text), EXIT_DONE);
    assert_int_equal(run_command(A " " B " --threshold 5", text, sizeof text), EXIT_GATE);
    assert_non_null(strstr(text, "1 of 5 cells: by more than 5%"));
    assert_int_equal(run_command(A " " B " --threshold 25%", text, sizeof text), EXIT_DONE);
    assert_int_equal(run_command(A " " B " --threshold -3", text, sizeof text), EXIT_USAGE);
    assert_int_equal(run_command(B " " A " --threshold 5", text, sizeof text), EXIT_GATE);
    assert_int_equal(run_command("build-compare/none " B, text, sizeof text), EXIT_BAD_INPUT);
}

/* A gate over no cells fails, and nothing is claimed about results that were not computed. */
static void test_a_gate_that_compared_nothing(void **state)
{
    (void)state;
    static char text[1 << 16];
    make_folder(A, (struct run_facts){0});
    add_timing(A, CELL("avx2", "off"), shape(64, 50, 7));
    remake_b((struct run_facts){0});
    static const char id[] = CELL("avx2", "off");
    append(
        B, "timing.jsonl",
        "{\"record\": \"timing\", \"id\": \"%s/rows=64/n=64/threads=1\", \"variant\": \"%s\", "
        "\"family\": \"normal\", \"rows\": 64, \"n\": 64, \"threads\": 1, \"residency\": \"L1\", "
        "\"status\": \"skipped\", \"reason\": \"no such lanes\", \"ns_per_row\": null}",
        id, id);
    const char *const folders[] = {A, B};
    for (size_t i = 0; i < 2; i++)
        append(folders[i], "accuracy.jsonl",
               "{\"record\": \"accuracy\", \"id\": \"%s\", \"status\": \"skipped\", \"family\": "
               "\"normal\", \"n\": 64, \"max_ulp\": null, \"counts\": null}",
               id);
    assert_int_equal(run_command(A " " B " --threshold 5", text, sizeof text), EXIT_GATE);
    assert_non_null(strstr(text, "nothing was compared"));
    assert_int_equal(run_command(A " " B " --json", text, sizeof text), EXIT_DONE);
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *accuracy = json_array_get(json_object_get(document, "accuracy"), 0);
    static const char *const unknown[] = {"lost_a",     "lost_b",     "max_ulp_a", "max_ulp_b",
                                          "mean_ulp_a", "mean_ulp_b", "bits_equal"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (!json_is_null(json_object_get(accuracy, unknown[i]))) fail_msg("%s", unknown[i]);
    const json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    assert_true(json_is_null(json_object_get(row, "ratio")));
    assert_true(json_is_null(json_object_get(row, "b")));
    json_decref(document);
    make_two_runs(NULL);
}

static void test_json_is_one_document_of_the_contract(void **state)
{
    (void)state;
    static char text[1 << 16];
    assert_int_equal(run_command(A " " B " --json", text, sizeof text), EXIT_DONE);
    json_error_t why;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    assert_non_null(document);
    assert_int_equal(json_integer_value(json_object_get(document, "schema")), 1);
    assert_non_null(json_object_get(json_object_get(document, "machine"), "slug"));
    json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    static const char *const keys[] = {"cell",    "a", "b", "ratio",  "ci_low",
                                       "ci_high", "p", "q", "verdict"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(row, keys[i]));
    assert_true(json_array_size(json_object_get(document, "geomean")) >= 1);
    /* 3 processes against 3 have no interval: the document has null, not a number or a word. */
    assert_null(strstr(text, "nan"));
    json_decref(document);
}

static void test_lines_fit_a_narrow_terminal(void **state)
{
    (void)state;
    struct opened *o = OPEN("policy", AXIS);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    compare_write(&o->c, out, (struct terminal){.columns = 80}, false);
    fclose(out);
    assert_non_null(strstr(text, "faster"));
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        if (end - line > 80) fail_msg("%.*s", (int)(end - line), line);
    free(text);
    close_opened(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mann_whitney_and_hodges_lehmann_of_a_textbook),
        cmocka_unit_test(test_the_least_p_is_the_number_of_ways),
        cmocka_unit_test(test_ties_are_exact_in_small_samples),
        cmocka_unit_test(test_large_samples_are_approximated_with_ties),
        cmocka_unit_test(test_the_exact_interval_meets_the_approximate_one),
        cmocka_unit_test(test_benjamini_and_hochberg_of_their_paper),
        cmocka_unit_test(test_verdicts_of_two_runs),
        cmocka_unit_test(test_accuracy_stands_beside),
        cmocka_unit_test(test_a_regression_needs_the_threshold_too),
        cmocka_unit_test(test_a_run_against_itself_is_the_same),
        cmocka_unit_test(test_the_later_line_of_a_cell_holds),
        cmocka_unit_test(test_two_values_of_an_axis),
        cmocka_unit_test(test_an_axis_without_values_takes_them_all),
        cmocka_unit_test(test_values_alone_mean_the_default_folder),
        cmocka_unit_test(test_machines_are_compared_as_cpus_only),
        cmocka_unit_test(test_other_seeds_and_schemas_are_refused),
        cmocka_unit_test(test_other_grids_are_said),
        cmocka_unit_test(test_lost_results_are_no_better),
        cmocka_unit_test(test_measures_are_not_mixed),
        cmocka_unit_test(test_cells_compare_where_the_code_is_the_same),
        cmocka_unit_test(test_commits_compare_other_code),
        cmocka_unit_test(test_nothing_left_is_refused),
        cmocka_unit_test(test_libraries_compare_where_their_version_is_the_same),
        cmocka_unit_test(test_what_makes_no_sense_is_said),
        cmocka_unit_test(test_lines_fit_a_narrow_terminal),
        cmocka_unit_test(test_the_exit_code_is_the_gate),
        cmocka_unit_test(test_a_gate_that_compared_nothing),
        cmocka_unit_test(test_json_is_one_document_of_the_contract),
    };
    int failed = cmocka_run_group_tests(tests, make_axis, NULL);
    return failed || system("rm -rf build-compare");
}
