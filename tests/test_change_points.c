// SPDX-License-Identifier: MIT
/* Change points of series whose steps are known. */
#include "publish/history/history.h"

#include "random_normal.h"

#include "drive.h"

enum { RUNS = 40, ROOM = 16 };

/* Makes a series with noise of relative size `spread`, and a step from run `at` on. */
static void make_series(struct point p[RUNS], uint64_t *state, double spread, size_t at,
                        double step)
{
    for (size_t i = 0; i < RUNS; i++)
        p[i] = (struct point){.value = log(100) + spread * random_normal(state) +
                                       (i >= at ? log1p(step) : 0)};
}

static size_t find(const struct point *p, size_t count, struct change_point found[ROOM])
{
    return change_points_find(p, count, found, ROOM);
}

TEST(test_a_clear_step_is_found_where_it_is)
{
    struct point p[RUNS];
    struct change_point found[ROOM];
    uint64_t random = 1;
    make_series(p, &random, 0.01, 25, 0.1);
    assert_int_equal(find(p, RUNS, found), 1);
    assert_int_equal(found[0].at, 25);
    assert_true(fabs(found[0].shift - log1p(0.1)) < 0.01);
    assert_true(found[0].low < log1p(0.1) && log1p(0.1) < found[0].high);
    assert_true(found[0].p < 1e-12);
}

TEST(test_a_step_that_came_back_is_two)
{
    struct point p[RUNS];
    struct change_point found[ROOM];
    uint64_t random = 7;
    make_series(p, &random, 0.01, 12, 0.1);
    for (size_t i = 24; i < RUNS; i++) p[i].value -= log1p(0.1);
    assert_int_equal(find(p, RUNS, found), 2);
    assert_int_equal(found[0].at, 12);
    assert_int_equal(found[1].at, 24);
    assert_true(found[0].shift > 0 && found[1].shift < 0);
}

TEST(test_the_same_series_has_the_same_changes)
{
    struct point p[RUNS];
    struct change_point a[ROOM], b[ROOM];
    uint64_t random = 3;
    make_series(p, &random, 0.02, 20, 0.06);
    size_t count = find(p, RUNS, a);
    assert_int_equal(count, find(p, RUNS, b));
    assert_memory_equal(a, b, count * sizeof *a);
}

/* At most one in a thousand of ten thousand series without any change has one, for noise that is
 * normal, and for noise with far outliers, one run in ten. */
TEST(test_noise_is_no_change)
{
    struct point p[RUNS];
    struct change_point found[ROOM];
    uint64_t random = 11;
    size_t alarms[2] = {0};
    for (size_t i = 0; i < 10000; i++)
        for (size_t kind = 0; kind < 2; kind++) {
            make_series(p, &random, 0.03, RUNS, 0);
            for (size_t k = 0; kind && k < RUNS; k++)
                if (random_below(&random, 10) == 0) p[k].value += 0.5 * random_unit(&random);
            alarms[kind] += find(p, RUNS, found) > 0;
        }
    if (alarms[0] > 10 || alarms[1] > 10) fail_msg("%zu, %zu of 10000", alarms[0], alarms[1]);
}

/* One run that is far off, before a step or after it, does not hide it. */
TEST(test_one_odd_run_hides_no_step)
{
    static const struct {
        size_t before, after;
        double step, odd_before, odd_after;
    } cases[] = {{20, 30, 0.1, 1.5, 1}, {20, 12, 0.5, 3, 1}, {12, 9, 0.3, 1, 10}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct point p[50];
        struct change_point found[ROOM];
        uint64_t random = 19 + c;
        size_t hits = 0, trials = 200;
        const size_t at = cases[c].before, count = at + cases[c].after;
        for (size_t i = 0; i < trials; i++) {
            for (size_t k = 0; k < count; k++)
                p[k] = (struct point){.value = 0.01 * random_normal(&random) +
                                               (k >= at ? log1p(cases[c].step) : 0)};
            p[random_below(&random, at)].value += log(cases[c].odd_before);
            p[at + 4].value += log(cases[c].odd_after);
            hits += find(p, count, found) == 1 && found[0].at >= at - 1 && found[0].at <= at + 1 &&
                    fabs(found[0].shift - log1p(cases[c].step)) < 0.03;
        }
        if (hits < trials * 9 / 10) fail_msg("case %zu: %zu of %zu", c, hits, trials);
    }
}

/* A step of 5% is found with the third run after it, if runs differ by 1%. */
TEST(test_a_step_is_found_within_three_runs)
{
    struct point p[RUNS];
    struct change_point found[ROOM];
    uint64_t random = 13;
    size_t hits = 0, trials = 1000;
    for (size_t i = 0; i < trials; i++) {
        make_series(p, &random, 0.01, 20, 0.05);
        size_t count = find(p, 23, found);
        hits += count && found[count - 1].at >= 19 && found[count - 1].at <= 20;
    }
    if (hits < trials * 95 / 100) fail_msg("%zu of %zu", hits, trials);
}

TEST(test_the_intervals_of_the_points_count)
{
    struct point p[12];
    struct change_point found[ROOM];
    for (size_t i = 0; i < 12; i++)
        p[i] = (struct point){.value = (i >= 6 ? 0.05 : 0) + 0.001 * (double)(i % 2)};
    assert_int_equal(find(p, 12, found), 1);
    for (size_t i = 0; i < 12; i++) p[i].error = 0.2; /* each run has that interval */
    assert_int_equal(find(p, 12, found), 0);
}

TEST(test_small_and_short_is_no_change)
{
    struct point p[RUNS];
    struct change_point found[ROOM];
    uint64_t random = 17;
    make_series(p, &random, 0.0005, 20, 0.01); /* significant, but below the threshold of 2% */
    assert_int_equal(find(p, RUNS, found), 0);
    make_series(p, &random, 0.001, 3, 0.5);
    assert_int_equal(find(p, 5, found), 0); /* two runs after the step are not enough */
    assert_int_equal(find(p, 6, found), 1);
    assert_int_equal(find(p, 0, found), 0);
}
