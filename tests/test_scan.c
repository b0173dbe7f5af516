// SPDX-License-Identifier: MIT
/* The hash of a scan's results, and scans of several functions, on kernels made for the test.
 * (tests/test_accuracy.c tests what one scan finds and how it is resumed.) */
#include "base/float_bits.h"
#include "measure/scan.h"
#include "oracle/oracle.h"
#include "oracle/output_hash.h"

#include "facts.h"
#include "planted.h"
#include "test.h"

/* ---- The hash -------------------------------------------------------------------------------- */

enum { COUNT = 1000 };

static void fill(float *y)
{
    for (size_t i = 0; i < COUNT; i++) y[i] = (float)i * 0x1.8p-3f - 7;
}

TEST(one_bit_changes_it)
{
    float y[COUNT];
    fill(y);
    uint64_t before = output_hash(y, COUNT, 5, true);
    for (size_t i = 0; i < COUNT; i++)
        for (unsigned bit = 0; bit < 32; bit += 31) { /* a last digit, a sign */
            const float kept = y[i];
            y[i] = float_of_bits(bits_of_float(kept) ^ 1u << bit);
            assert_true(output_hash(y, COUNT, 5, true) != before);
            y[i] = kept;
        }
    assert_true(output_hash(y, COUNT, 5, true) == before);
    assert_true(output_hash(y, COUNT, 5, false) == before); /* without a NaN */
    assert_true(output_hash(y, COUNT - 1, 5, true) != before);
    assert_true(output_hash(y, COUNT, 6, true) != before);
}

TEST(places_count)
{
    static const size_t apart[] = {1, 2, 8, 16, 256, 512};
    float y[COUNT];
    fill(y);
    uint64_t before = output_hash(y, COUNT, 0, true);
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        float first = y[3], second = y[3 + apart[k]];
        y[3] = second, y[3 + apart[k]] = first;
        assert_true(output_hash(y, COUNT, 0, true) != before);
        y[3] = first, y[3 + apart[k]] = second;
    }
    /* The hash does not depend on the results' address. */
    float moved[COUNT + 1];
    memcpy(moved + 1, y, sizeof y);
    assert_true(output_hash(moved + 1, COUNT, 0, true) == before);
}

TEST(every_nan_is_the_same)
{
    static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7fc12345, 0xffffffff};
    float y[COUNT];
    fill(y);
    y[400] = float_of_bits(nans[0]);
    uint64_t first = output_hash(y, COUNT, 0, true);
    for (size_t i = 1; i < sizeof nans / sizeof *nans; i++) {
        y[400] = float_of_bits(nans[i]);
        assert_true(output_hash(y, COUNT, 0, true) == first);
    }
    y[400] = INFINITY;
    assert_true(output_hash(y, COUNT, 0, true) != first);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Computes exp, except for `value` at the input `at`. */
static void plant(const struct job *j, float at, float value)
{
    planted_rounded("exp", j);
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++)
            if (((const float *)j->x)[r * j->x_stride + i] == at)
                ((float *)j->y)[r * j->y_stride + i] = value;
}

static void run_exp(const struct job *j)
{
    planted_rounded("exp", j);
}
static void run_log(const struct job *j)
{
    planted_rounded("log", j);
}
static void run_next(const struct job *j) /* changes the last bit of one result */
{
    plant(j, 0x1.4p0f, nextafterf((float)exp(0x1.4p0), INFINITY));
}
static void run_nan(const struct job *j)
{
    plant(j, 0x1.4p0f, float_of_bits(0x7fc00000));
}
static void run_payload(const struct job *j)
{
    plant(j, 0x1.4p0f, float_of_bits(0xffc12345));
}

#define GOOD .dtype = "f32", .lanes = 1, .promise = {.ulp_off = 0.5, .specials = true}
static const struct kernel kernels[] = {
    {.op = "exp", .algorithm = "exp", .run = run_exp, GOOD},
    {.op = "exp", .algorithm = "twin", .run = run_exp, GOOD},
    {.op = "exp", .algorithm = "next", .run = run_next, GOOD},
    {.op = "exp", .algorithm = "nan", .run = run_nan, GOOD},
    {.op = "exp", .algorithm = "payload", .run = run_payload, GOOD},
    {.op = "log", .algorithm = "log", .run = run_log, GOOD},
    {.op = "sigmoid", .algorithm = "studied", .run = run_exp, .study = true, GOOD},
    {.op = "softmax", .algorithm = "no-function", .run = run_exp, GOOD},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- Scans ----------------------------------------------------------------------------------- */

static json_t *scan_of(const char *const *words, size_t count, const char *range, int threads,
                       int code)
{
    struct registry r = planted_registry(kernels, KERNELS);
    struct scan_request plan = scan_default("");
    struct scan_functions functions;
    struct scan_summary summary;
    struct error e = {""};
    json_t *rows = keep(json_array());
    plan.quiet = true;
    plan.threads = threads;
    assert_int_equal(scan_parse_range(range, &plan, &e), 0);
    assert_int_equal(scan_functions_find(words, count, &r, &functions, &e), 0);
    int got = scan_run_functions(&plan, &functions, &r, record_sink_array(rows), &summary, &e);
    if (got != code) fail_msg("exit %d, want %d: %s", got, code, e.text);
    return rows;
}

static const char *outputs_of(const json_t *rows, const char *algorithm)
{
    const char *outputs = record_text(fact_find(rows, "id~/%s/", algorithm), "outputs");
    assert_int_equal(strlen(outputs), 16);
    return outputs;
}

TEST(equal_results_have_equal_hashes)
{
    static const char *const words[] = {"exp"};
    const char *range = "0x1.fp-1,0x1.01p1"; /* parts of two binades, and a complete one */
    json_t *rows = scan_of(words, 1, range, 2, EXIT_GATE);
    assert_string_equal(outputs_of(rows, "exp"), outputs_of(rows, "twin"));
    assert_string_not_equal(outputs_of(rows, "exp"), outputs_of(rows, "next"));
    assert_string_not_equal(outputs_of(rows, "exp"), outputs_of(rows, "nan"));
    assert_string_equal(outputs_of(rows, "nan"), outputs_of(rows, "payload"));
    json_t *alone = scan_of(words, 1, range, 1, EXIT_GATE);
    static const char *const all[] = {"exp", "next", "nan"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(outputs_of(rows, all[i]), outputs_of(alone, all[i]));
}

/* `--samples` takes that many inputs of each binade, including its first and last, and its rows are
 * not kept. */
TEST(samples_of_each_binade)
{
    struct registry r = planted_registry(kernels, KERNELS);
    struct scan_request plan = scan_default("log");
    struct scan_summary summary = {.kept = 0};
    struct error e = {""};
    json_t *rows = keep(json_array());
    plan.quiet = true;
    plan.samples = 1 << 24;
    assert_int_equal(scan_run(&plan, &r, record_sink_array(rows), &summary, &e), 0);
    assert_facts(rows, "0.range=sampled 0.evaluated=0x1p24 0.max_ulp<=0.5");
    /* The numbers with a logarithm are in the subnormal range and in 254 binades. */
    assert_true(json_array_size(fact_at(rows, "0.binades.from")) >= 255);
}

/* A kernel that only a case study runs, like expkappa, is scanned if it is named. */
TEST(a_study_by_name)
{
    static const char *const words[] = {"sigmoid"};
    json_t *rows = scan_of(words, 1, "1,1.01", 2, EXIT_GATE); /* the kernel computes exp */
    assert_int_equal(json_array_size(rows), 1);
}

/* An error in a kernel of exp does not stop the scan of log. */
TEST(all_functions)
{
    static const char *const words[] = {"exp", "all"};
    json_t *rows = scan_of(words, 2, "1,1.5", 2, EXIT_GATE);
    assert_int_equal(json_array_size(rows), 6);
    assert_facts(rows, "0.id=exp/exp/dtype=f32/isa=scalar/cc=test/policy=off "
                       "5.id=log/log/dtype=f32/isa=scalar/cc=test/policy=off 5.status=ok");
}

TEST(which_functions)
{
    static const char *const all[] = {"all"}, *const studied[] = {"sigmoid", "all"};
    struct registry r = planted_registry(kernels, KERNELS);
    struct scan_functions f;
    struct error e = {""};
    char names[300];
    assert_int_equal(scan_functions_find(all, 1, &r, &f, &e), 0);
    assert_int_equal(f.count, 2);
    assert_string_equal(f.names[0], "exp");
    assert_string_equal(f.names[1], "log");
    assert_int_equal(scan_functions_find(studied, 2, &r, &f, &e), 0);
    assert_int_equal(f.count, 3);
    assert_string_equal(f.names[0], "sigmoid");
    r.count = 0;
    assert_int_equal(scan_functions_find(all, 1, &r, &f, &e), EXIT_USAGE);
    scan_function_names(names, sizeof names);
    assert_non_null(strstr(names, "exp "));
    assert_null(strstr(names, "softmax"));
}
