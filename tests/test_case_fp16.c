// SPDX-License-Identifier: MIT
/* The case fp16-lse-cliff: the reported figures, and each table against its prediction.
 * tests/test_rounded.c tests the kernels. */

#include "case_run.h"
#include "model/record.h"
#include "study/litmus.h"

#include "drive.h"
#include "facts.h"

static const double step = 30.0 / 1999;

/* Returns a number, which may stand as text. */
static double number_of(const json_t *object, const char *key)
{
    const char *text = record_text(object, key);
    return *text ? atof(text) : record_number(object, key);
}

/* Set up once: the record over the whole build. */
static int open_record(void **state)
{
    *state = case_run("fp16-lse-cliff", "--quick", NULL);
    return 0;
}

static const json_t *reproduced(void **state)
{
    if (!case_is_reproduced(*state)) skip();
    return *state;
}

TEST(breaks_where_it_was_reported)
{
    static const char *const figures[][2] = {
        {"halfnaive, 32 equal elements: first broken x", "7.6313"},
        {"halfnaive, stack([x, 0]): first broken x", "11.0980"},
        {"halfnaive, 1 element: first broken x", "11.0980"},
        {"softplus, internal limit 2^15: first broken x", "10.3950"},
        {"softplus, internal limit 2^16: first broken x", "11.0900"},
        {"halfshifted, 32 equal elements: largest deviation on the sweep", "0.0087"},
    };
    const json_t *record = reproduced(state);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double got = case_measured(record, figures[i][0]);
        if (!(fabs(got - atof(figures[i][1])) <= 5.1e-5))
            fail_msg("%s: %g, not %s", figures[i][0], got, figures[i][1]);
    }
}

/* -ffast-math does not promise to handle infinities: clang up to 16 still does in this case, clang
 * 19 does not. */
static bool may_lose_infinities(const char *cc, const char *policy)
{
    return !strcmp(policy, "fastmath") && strstr(cc, "clang") && atoi(expectation_version(cc)) > 16;
}

TEST(breaks_alike_in_every_variant)
{
    size_t i;
    const json_t *row, *rows = json_object_get(reproduced(state), "rows");
    assert_true(json_array_size(rows) > 0);
    json_array_foreach(rows, i, row)
    {
        assert_true(fabs(number_of(row, "cliff_32") - 7.6313) <= 5e-5);
        if (!may_lose_infinities(record_text(row, "cc"), record_text(row, "policy")))
            assert_true(fabs(number_of(row, "cliff_stack") - 11.0980) <= 5e-5);
        assert_true(json_is_false(json_object_get(row, "broken"))); /* no policy's fault */
    }
}

TEST(predictions_hold_for_every_count)
{
    size_t i;
    const json_t *row, *rows = case_rows_of(reproduced(state), "C equal elements without a shift");
    assert_int_equal(json_array_size(rows), 13);
    json_array_foreach(rows, i, row)
    {
        double c = ldexp(1, (int)i);
        assert_true(number_of(row, "c") == c);
        assert_true(fabs(number_of(row, "fp16_predicted") - log(65504 / c)) <= 5e-5);
        assert_true(fabs(number_of(row, "fp16_measured") - log(65504 / c)) <= step);
        if (!*record_text(row, "fp32_measured")) continue; /* a variant that this build lacks */
        assert_true(fabs(number_of(row, "fp32_measured") - log(0x1.fffffep127 / c)) <= step);
        if (!*record_text(row, "bf16_measured")) continue;
        /* A measured input is the nearest of inputs that are 0.5 apart. */
        assert_true(fabs(number_of(row, "bf16_measured") - log(0x1.fep127 / c)) <= 0.25 + step);
        assert_string_equal(record_text(row, "bf16_measured"), record_text(row, "bf16_point"));
    }
}

TEST(sums_one_by_one_stop_growing)
{
    size_t i;
    const json_t *row, *rows = case_rows_of(reproduced(state), "C equal elements, shifted");
    assert_int_equal(json_array_size(rows), 6);
    json_array_foreach(rows, i, row)
    {
        double c = number_of(row, "c");
        assert_true(fabs(number_of(row, "paired")) <= 0.0045); /* half an ulp of 8 */
        assert_true(fabs(number_of(row, "fp16") - fmin(0, log(2048 / c))) <= 0.0045);
        if (json_object_get(row, "bf16"))
            assert_true(fabs(number_of(row, "bf16") - fmin(0, log(256 / c))) <= 0.02);
    }
}

TEST(every_isa_ran_or_says_why)
{
    size_t i;
    const json_t *row, *rows = case_rows_of(reproduced(state), "Where half arithmetic ran");
    assert_int_equal(json_array_size(rows), 3);
    json_array_foreach(rows, i, row)
        assert_true((number_of(row, "ran") > 0) != (*record_text(row, "reason") != '\0'));
}

/* The last x of the curve's line of that name. */
static double end_of_line(const json_t *curve, const char *name)
{
    const json_t *line = fact_find(json_object_get(curve, "series"), "'name=%s'", name);
    const json_t *points = json_object_get(line, "points");
    assert_true(json_array_size(points) > 0);
    return json_number_value(
        json_array_get(json_array_get(points, json_array_size(points) - 1), 0));
}

TEST(the_picture_ends_at_the_cliff)
{
    const json_t *curve = json_array_get(json_object_get(reproduced(state), "curves"), 0);
    double naive = end_of_line(curve, "naive, 32 equal elements");
    assert_true(fabs(naive - (7.6313 - step)) <= 1e-4);
    assert_true(end_of_line(curve, "shifted, 32 equal elements") > 14.9);
}

TEST(narrow_isas_break_alike)
{
    const json_t *whole = reproduced(state);
    json_t *record = case_run("fp16-lse-cliff", "--quick", "--filter", "isa=avx2 policy=off", NULL);
    if (!case_is_reproduced(record)) skip();
    assert_true(json_equal(case_rows_of(record, "softplus"), case_rows_of(whole, "softplus")));
}

TEST(without_half_kernels_it_is_skipped)
{
    static const char *const without[][2] = {{"--filter", "algorithm=naive"},
                                             {"--hide-isa", "avx2,avx512,avx512fp16"}};
    for (size_t i = 0; i < 2; i++) {
        json_t *record = case_run("fp16-lse-cliff", without[i][0], without[i][1], NULL);
        assert_false(case_is_reproduced(record));
    }
}

TEST_GROUP(open_record, NULL)
