// SPDX-License-Identifier: MIT
/* The case layernorm-bf16: its results on this build and CPU, which must not depend on the seed;
 * and the number that bf16-flush expects. */
// test: 14 s of a core

#include "case_run.h"
#include "model/dtype.h"
#include "model/record.h"

#include "drive.h"
#include "facts.h"

/* Records of the case with the usual seed, quick and not, which several tests read. */
static json_t *whole, *quick;

static int make_records(void **state)
{
    (void)state;
    whole = case_run("layernorm-bf16", NULL);
    quick = case_run("layernorm-bf16", "--quick", NULL);
    return 0;
}

static int drop_records(void **state)
{
    (void)state;
    return 0;
}

TEST(test_layernorm)
{
    if (case_is_reproduced(whole)) {
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
            if (!strcmp(record_text(row, "policy"), "off"))
                assert_int_equal(fact_count(json_object_get(row, "pairs"),
                                            "a=twopass b=corrected means_differ>0"),
                                 0);
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
    if (case_is_reproduced(whole)) {
        size_t i;
        const json_t *row;
        assert_true(case_is_reproduced(quick));
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            assert_true(case_measured(whole, figures[k]) == case_measured(quick, figures[k]));
        json_array_foreach(json_object_get(quick, "rows"), i, row)
            assert_string_equal(record_text(row, "policy"), "off");
    }
}

/* Few outputs are flipped, so that a draw may change but one of the layer's, and that by little. */
TEST(test_other_draws)
{
    json_t *other = case_run("layernorm-bf16", "--quick", "--seed", "12345", NULL);
    static const char *const share =
        "rows whose mean differs, cascade against twopass, least of 8 draws";
    if (case_is_reproduced(other)) {
        assert_true(case_measured(other, share) != case_measured(quick, share));
        assert_true(fabs(case_measured(other, share) - case_measured(quick, share)) < 0.05);
    }
}

/* ---- bf16-flush ------------------------------------------------------------------------------ */

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
