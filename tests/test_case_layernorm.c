// SPDX-License-Identifier: MIT
/* The case layernorm-bf16: its results on this build and CPU, which must not depend on the seed;
 * and the number that bf16-flush expects. */
// test: 14 s of a core

#include "case_run.h"
#include "model/dtype.h"

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

TEST(test_layernorm)
{
    if (!case_is_reproduced(whole)) return;
    const json_t *row, *rows = json_object_get(whole, "rows");
    size_t i;
    assert_true(json_array_size(json_object_get(whole, "tables")) >= 2);
    /* No build is wrong: both algorithms are correct under each policy. */
    assert_every(rows, 1, "broken=false");
    assert_true(fact_count(rows, "pairs=#21") > 0);
    json_array_foreach(rows, i, row)
    {
        const json_t *pairs = json_object_get(row, "pairs");
        assert_every(pairs, 0, "by<3e-7 bf16_most<=200 linear<=1");
        assert_int_equal(fact_count(pairs, "bf16_most<=0 linear!=0"), 0);
        /* These two algorithms compute the mean in the same way. */
        if (fact_holds(row, "policy=off", 0))
            assert_int_equal(fact_count(pairs, "a=twopass b=corrected means_differ>0"), 0);
    }
}

/* Quick results are a subset: the same random rows, under `off` alone. */
TEST(test_quick_agrees)
{
    static const char *const figures[] = {
        "rows whose mean differs, cascade against twopass, least of 8 draws",
        "bf16 outputs of 524,288 that differ, least of 8 draws",
        "outputs of the linear layer apart by at most, least of 8 draws"};
    if (!case_is_reproduced(whole)) return;
    assert_true(case_is_reproduced(quick));
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        assert_true(case_measured(whole, figures[k]) == case_measured(quick, figures[k]));
    assert_every(json_object_get(quick, "rows"), 1, "policy=off");
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

TEST_GROUP(make_records, NULL)
