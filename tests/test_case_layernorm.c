// SPDX-License-Identifier: MIT
/* The cases layernorm-bf16 and bf16-flush: their results on this build and CPU, which must not
 * depend on the seed. */
// test: 14 s of a core
#include "cases/case_run.h"
#include "model/dtype.h"

#include "drive.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

/* Returns the record of a case of this build, on this CPU without the ISAs `hidden`. */
static json_t *record_of(const char *name, const char *hidden, uint64_t seed,
                         enum case_effort effort)
{
    struct error e = {.text = ""};
    struct cpu cpu;
    struct registry r;
    struct cases_summary summary;
    const struct case_study *study = case_find(name, &e), *const list[] = {study};
    json_t *records = json_array();
    if (!study) fail_msg("%s", e.text);
    assert_int_equal(cpu_detect(&cpu, hidden, &e), 0);
    assert_int_equal(registry_open(&r, &cpu, NULL, 0, &e), 0);
    const struct cases_plan plan = {
        .cases = list, .count = 1, .context = {&r, &cpu, seed, effort}, .quiet = true};
    cases_run(&plan, record_sink_array(records), &summary, &e);
    registry_close(&r);
    assert_int_equal(json_array_size(records), 1);
    json_t *record = json_incref(json_array_get(records, 0));
    json_decref(records);
    return record;
}

/* Asserts that every check holds. Returns false if the case was skipped, which needs a reason. */
static bool is_reproduced(const json_t *record)
{
    size_t i;
    const json_t *check;
    if (!strcmp(text_of(record, "verdict"), "skipped")) {
        print_message("%s: %s\n", text_of(record, "name"), text_of(record, "reason"));
        assert_true(strlen(text_of(record, "reason")) > 0);
        return false;
    }
    json_array_foreach(json_object_get(record, "checks"), i, check)
    {
        if (json_is_true(json_object_get(check, "holds"))) continue;
        char *measured = json_dumps(json_object_get(check, "measured"), JSON_ENCODE_ANY);
        fail_msg("%s: %s: %s; expected %s", text_of(record, "name"), text_of(check, "what"),
                 measured, text_of(check, "expected"));
    }
    assert_string_equal(text_of(record, "verdict"), "reproduced");
    return true;
}

static double measured(const json_t *record, const char *what)
{
    const json_t *value = json_object_get(json_object_get(record, "measured"), what);
    if (!json_is_number(value)) fail_msg("no figure '%s'", what);
    return json_number_value(value);
}

/* ---- layernorm-bf16 -------------------------------------------------------------------------- */

/* The share of means that differ between two algorithms of a build: pairs[] of a row. */
static double share_between(const json_t *row, const char *a, const char *b)
{
    size_t i;
    const json_t *pair;
    json_array_foreach(json_object_get(row, "pairs"), i, pair)
    {
        bool forth = !strcmp(text_of(pair, "a"), a) && !strcmp(text_of(pair, "b"), b);
        bool back = !strcmp(text_of(pair, "a"), b) && !strcmp(text_of(pair, "b"), a);
        if (forth || back) return json_number_value(json_object_get(pair, "means_differ"));
    }
    return NAN;
}

/* Records of the case with the usual seed, quick and not, which several tests read. */
static json_t *whole, *quick;

static int make_records(void **state)
{
    (void)state;
    whole = record_of("layernorm-bf16", NULL, 0, CASE_DEFAULT);
    quick = record_of("layernorm-bf16", NULL, 0, CASE_QUICK);
    return 0;
}

static int drop_records(void **state)
{
    (void)state;
    json_decref(whole);
    json_decref(quick);
    return 0;
}

TEST(test_layernorm)
{
    if (is_reproduced(whole)) {
        size_t i, full = 0;
        const json_t *row, *pair, *tables = json_object_get(whole, "tables");
        assert_true(json_array_size(tables) >= 2);
        json_array_foreach(json_object_get(whole, "rows"), i, row)
        {
            size_t k;
            /* No build is wrong: both algorithms are correct under each policy. */
            assert_true(json_is_false(json_object_get(row, "broken")));
            json_array_foreach(json_object_get(row, "pairs"), k, pair)
            {
                double by = json_number_value(json_object_get(pair, "by"));
                double bf16 = json_number_value(json_object_get(pair, "bf16_most"));
                double linear = json_number_value(json_object_get(pair, "linear"));
                assert_true(by < 3e-7);
                assert_true(bf16 <= 200);
                assert_true(linear <= 1);
                assert_true(bf16 > 0 || linear == 0);
            }
            full += json_array_size(json_object_get(row, "pairs")) == 21;
            /* These two algorithms compute the mean in the same way. */
            if (!strcmp(text_of(row, "policy"), "off"))
                assert_false(share_between(row, "twopass", "corrected") > 0);
        }
        assert_true(full > 0);
    }
}

/* Quick results are a subset: the same random rows, under `off` alone. */
TEST(test_quick_agrees)
{
    static const char *const figures[] = {
        "rows whose mean differs, cascade against twopass, least of 8 draws",
        "bf16 outputs of 524,288 that differ, least of 8 draws",
        "outputs of the linear layer apart by at most, least of 8 draws"};
    if (is_reproduced(whole)) {
        size_t i;
        const json_t *row;
        assert_true(is_reproduced(quick));
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            assert_true(measured(whole, figures[k]) == measured(quick, figures[k]));
        json_array_foreach(json_object_get(quick, "rows"), i, row)
            assert_string_equal(text_of(row, "policy"), "off");
    }
}

TEST(test_other_draws)
{
    json_t *other = record_of("layernorm-bf16", NULL, 12345, CASE_QUICK);
    static const char *const share =
        "rows whose mean differs, cascade against twopass, least of 8 draws";
    if (is_reproduced(quick)) {
        assert_true(measured(other, share) != measured(quick, share));
        assert_true(fabs(measured(other, share) - measured(quick, share)) < 0.05);
    }
    json_decref(other);
}

TEST(test_nothing_to_show)
{
    json_t *record = record_of("layernorm-bf16", "avx2", 0, CASE_QUICK);
    assert_string_equal(text_of(record, "verdict"), "skipped");
    json_decref(record);
}

/* ---- bf16-flush ------------------------------------------------------------------------------ */

TEST(test_flush)
{
    json_t *record = record_of("bf16-flush", NULL, 0, CASE_QUICK);
    if (is_reproduced(record)) {
        assert_true(measured(record, "of 2^32 inputs, rounded otherwise than to nearest even") ==
                    16711678);
        assert_true(strlen(text_of(record, "price")) > 0);
    }
    json_decref(record);
    record = record_of("bf16-flush", "avx512", 0, CASE_QUICK);
    assert_string_equal(text_of(record, "verdict"), "skipped");
    json_decref(record);
}

/* Computes the expected number in another way: fp32 subnormals whose nearest bf16 is not zero. */
TEST(test_expected)
{
    enum { BATCH = 1 << 12 };
    static float x[BATCH];
    static uint16_t y[BATCH];
    size_t count = 0;
    for (uint32_t first = 0; first < 1u << 23; first += BATCH) {
        for (uint32_t k = 0; k < BATCH; k++) {
            uint32_t bits = first + k;
            memcpy(&x[k], &bits, sizeof bits);
        }
        dtype_find("bf16")->narrow(x, y, BATCH);
        for (size_t k = 0; k < BATCH; k++) count += y[k] != 0;
    }
    assert_int_equal(2 * count, 16711678);
}

TEST_GROUP(make_records, drop_records)
