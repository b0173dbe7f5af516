// SPDX-License-Identifier: MIT
/* Scans in double, on kernels made for the test: what is found, how, and that it depends on no
 * thread. */
#include "base/float_bits.h"
#include "measure/scan.h"
#include "oracle/f64.h"

#include "facts.h"
#include "planted.h"
#include "test.h"

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Computes exp, correctly rounded. */
static void run_rounded(const struct job *j)
{
    struct f64_value *y = malloc((j->n + 1) * sizeof *y);
    struct oracle_row facts;
    f64_oracle_find("exp")->row(j->x, j->n, &f64_parameters_default, y, &facts);
    for (size_t i = 0; i < j->n; i++) ((double *)j->y)[i] = y[i].hi;
    free(y);
}

/* Below `edge` a branch is one unit off, and 8 units within 2^-30 of it, which no sample meets. */
static const double edge = 1.3;
static void run_branch(const struct job *j)
{
    const double *x = j->x;
    double *y = j->y;
    run_rounded(j);
    for (size_t i = 0; i < j->n; i++)
        if (x[i] >= 1 && x[i] < edge)
            y[i] += (x[i] >= edge * (1 - 0x1p-30) ? 8 : 1) * (x[i] < log(4) ? 0x1p-51 : 0x1p-50);
}

/* Errs by up to 40 units in one part of 2^-26 of a binade around 5, less and less far from it: what
 * a descent follows. */
static void run_peak(const struct job *j)
{
    const double *x = j->x;
    double *y = j->y;
    run_rounded(j);
    for (size_t i = 0; i < j->n; i++) {
        double far = fabs(x[i] - 5);
        if (far < 0.9)
            y[i] = double_of_rank(double_rank(y[i]) + (uint64_t)(-log2(far + 0x1p-40) / 4 + 1));
    }
}

static void run_nan(const struct job *j)
{
    run_rounded(j);
    for (size_t i = 0; i < j->n; i++)
        if (((const double *)j->x)[i] > 700)
            ((double *)j->y)[i] = NAN;
        else if (isnan(((const double *)j->x)[i]))
            ((double *)j->y)[i] = 1;
}

static void run_abort(const struct job *j)
{
    (void)j;
    abort();
}

static const struct kernel kernels[] = {
    {.op = "exp",
     .algorithm = "rounded",
     .dtype = "f64",
     .run = run_rounded,
     .promise = {.ulp_off = 0.5, .specials = true}},
    {.op = "exp", .algorithm = "branch", .dtype = "f64", .run = run_branch},
    {.op = "exp", .algorithm = "peak", .dtype = "f64", .run = run_peak},
    {.op = "exp", .algorithm = "nan", .dtype = "f64", .run = run_nan},
    {.op = "exp",
     .algorithm = "liar",
     .dtype = "f64",
     .run = run_branch,
     .promise = {.ulp_off = 2}},
    {.op = "exp", .algorithm = "abort", .dtype = "f64", .run = run_abort},
    {.op = "softmax", .algorithm = "no-function", .dtype = "f64", .run = run_rounded},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Scans all kernels, or `alone`. searched: 1 is too few numbers for a descent. */
static json_t *scan(const char *alone, int threads, size_t searched)
{
    struct registry r = {.variants = keep(calloc(KERNELS, sizeof *r.variants))};
    for (size_t i = 0; i < KERNELS; i++) {
        if (alone && strcmp(kernels[i].algorithm, alone) != 0) continue;
        r.variants[r.count++] = planted_variant(&kernels[i], "scalar", "test", "off");
    }
    static const char *const words[] = {"all"};
    struct scan_request plan = scan_default("");
    struct scan_functions functions;
    struct scan_summary summary;
    struct error e = {""};
    json_t *rows = keep(json_array());
    plan.quiet = true;
    plan.threads = threads;
    plan.samples = 1 << 17;
    plan.searched = searched;
    assert_int_equal(scan_functions_find(words, 1, &r, &functions, &e), 0);
    int code = scan_run_functions(&plan, &functions, &r, record_sink_array(rows), &summary, &e);
    assert_int_equal(code, alone ? 0 : EXIT_PARTIAL); /* of the one that aborts */
    assert_int_equal(summary.rows.ok, alone ? 1 : KERNELS - 3);
    assert_int_equal(summary.rows.wrong, !alone); /* the liar */
    assert_int_equal(summary.rows.failed, !alone);
    return rows;
}

static const json_t *row_of(const json_t *rows, const char *algorithm)
{
    return fact_find(rows, "id~/%s/", algorithm);
}

TEST(what_is_found)
{
    json_t *rows = scan(NULL, 2, 1);
    assert_int_equal(json_array_size(rows), KERNELS - 1);
    const json_t *row = row_of(rows, "rounded");
    /* NaNs of every payload are tried. Within 2^-40 of half an ulp are only results next to 1,
     * 1 + x of an x of half an ulp. */
    assert_facts(
        row,
        "largest_ulp<=0.5 largest_ulp>0.4999 tried>%d lost=0 nans.tried>60 nans.answered=0 "
        "undecided>0 undecided<8",
        1 << 17);
    /* exp's published inputs, which a correct rounding meets within half a unit. */
    assert_every(json_object_get(row, "published"), 5, "ulp<=0.5");

    row = row_of(rows, "branch");
    assert_facts(row, "found_by=jump largest_ulp>=7.5");
    double at = strtod(record_text(row, "at"), NULL);
    assert_true(at < edge && at >= edge * (1 - 0x1p-30));

    row = row_of(rows, "nan");
    assert_facts(row, "lost>10 nans.answered=%.17g", record_number(fact_at(row, "nans"), "tried"));
    assert_true(strtod(record_text(row, "lost_at"), NULL) > 700);
    assert_facts(row_of(rows, "abort"), "status=killed");
    assert_facts(row_of(rows, "liar"), "status=wrong 'reason~promised 2'");

    /* Threads change nothing. */
    json_t *again = scan("branch", 1, 1);
    static const char *const keys[] = {"largest_ulp", "at", "tried", "mean_ulp", "lost", "jumps"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        assert_true(json_equal(json_object_get(row_of(rows, "branch"), keys[k]),
                               json_object_get(row_of(again, "branch"), keys[k])));
}

TEST(a_descent_follows_a_peak)
{
    json_t *rows = scan("peak", 2, 1 << 22);
    const json_t *row = row_of(rows, "peak");
    assert_facts(row, "found_by=descent largest_ulp>=9.5");
    assert_true(fabs(strtod(record_text(row, "at"), NULL) - 5) < 0x1p-28);
}
