// SPDX-License-Identifier: MIT
/* The case fp16-lse-cliff: the reported figures, and each table against its prediction.
 * tests/test_rounded.c tests the kernels. */
#include <jansson.h>

#include "study/litmus.h"

#include "drive.h"

static const double step = 30.0 / 1999;

static const char *text_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) return atof(json_string_value(value));
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Returns the case's record at --quick, with two more arguments. */
static json_t *record_with(const char *option, const char *value)
{
    struct outcome o =
        drive(&(struct drive){.program = drive_program("ulplab"),
                              .arguments = {"case", "run", "fp16-lse-cliff", "--quick", "--quiet",
                                            "--json", option, value}});
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    json_t *record = json_incref(json_array_get(json_object_get(document, "cases"), 0));
    if (o.code) {
        char *checks = json_dumps(json_object_get(record, "checks"), JSON_INDENT(1));
        fail_msg("exit %d: %s%s", o.code, o.err, checks);
    }
    drive_free(&o);
    json_decref(document);
    return record;
}

/* Returns the table whose caption begins like this. */
static const json_t *table_of(const json_t *record, const char *caption)
{
    size_t i;
    const json_t *table;
    json_array_foreach(json_object_get(record, "tables"), i,
                       table) if (!strncmp(text_of(table, "caption"), caption,
                                           strlen(caption))) return json_object_get(table, "rows");
    fail_msg("no table '%s'", caption);
    return NULL;
}

/* Set up once: the record over the whole build. */
static int open_record(void **state)
{
    *state = record_with(NULL, NULL);
    return 0;
}

static int close_record(void **state)
{
    json_decref(*state);
    return 0;
}

static const json_t *reproduced(void **state)
{
    const json_t *record = *state;
    if (!strcmp(text_of(record, "verdict"), "skipped")) {
        print_message("%s\n", text_of(record, "reason"));
        skip();
    }
    assert_string_equal(text_of(record, "verdict"), "reproduced");
    return record;
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
    const json_t *measured = json_object_get(reproduced(state), "measured");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double got = number_of(measured, figures[i][0]);
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
        if (!may_lose_infinities(text_of(row, "cc"), text_of(row, "policy")))
            assert_true(fabs(number_of(row, "cliff_stack") - 11.0980) <= 5e-5);
        assert_true(json_is_false(json_object_get(row, "broken"))); /* no policy's fault */
    }
}

TEST(predictions_hold_for_every_count)
{
    size_t i;
    const json_t *row, *rows = table_of(reproduced(state), "C equal elements without a shift");
    assert_int_equal(json_array_size(rows), 13);
    json_array_foreach(rows, i, row)
    {
        double c = ldexp(1, (int)i);
        assert_true(number_of(row, "c") == c);
        assert_true(fabs(number_of(row, "fp16_predicted") - log(65504 / c)) <= 5e-5);
        assert_true(fabs(number_of(row, "fp16_measured") - log(65504 / c)) <= step);
        if (!*text_of(row, "fp32_measured")) continue; /* a variant that this build lacks */
        assert_true(fabs(number_of(row, "fp32_measured") - log(0x1.fffffep127 / c)) <= step);
        if (!*text_of(row, "bf16_measured")) continue;
        /* A measured input is the nearest of inputs that are 0.5 apart. */
        assert_true(fabs(number_of(row, "bf16_measured") - log(0x1.fep127 / c)) <= 0.25 + step);
        assert_string_equal(text_of(row, "bf16_measured"), text_of(row, "bf16_point"));
    }
}

TEST(sums_one_by_one_stop_growing)
{
    size_t i;
    const json_t *row, *rows = table_of(reproduced(state), "C equal elements, shifted");
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
    const json_t *row, *rows = table_of(reproduced(state), "Where half arithmetic ran");
    assert_int_equal(json_array_size(rows), 3);
    json_array_foreach(rows, i, row)
        assert_true((number_of(row, "ran") > 0) != (*text_of(row, "reason") != '\0'));
}

/* The last x of the curve's line of that name. */
static double end_of_line(const json_t *curve, const char *name)
{
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(curve, "series"), i, series)
    {
        const json_t *points = json_object_get(series, "points");
        if (strcmp(text_of(series, "name"), name) != 0) continue;
        return json_number_value(
            json_array_get(json_array_get(points, json_array_size(points) - 1), 0));
    }
    fail_msg("no line '%s'", name);
    return (double)NAN;
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
    json_t *record = record_with("--filter", "isa=avx2 policy=off");
    const json_t *whole = reproduced(state);
    if (!strcmp(text_of(record, "verdict"), "skipped")) skip();
    assert_true(json_equal(table_of(record, "softplus"), table_of(whole, "softplus")));
    json_decref(record);
}

TEST(without_half_kernels_it_is_skipped)
{
    json_t *record = record_with("--filter", "algorithm=naive");
    assert_string_equal(text_of(record, "verdict"), "skipped");
    assert_true(*text_of(record, "reason"));
    json_decref(record);
    record = record_with("--hide-isa", "avx2,avx512,avx512fp16");
    assert_string_equal(text_of(record, "verdict"), "skipped");
    json_decref(record);
}

TEST_GROUP(open_record, close_record)
