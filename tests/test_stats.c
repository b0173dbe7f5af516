// SPDX-License-Identifier: MIT
/* Statistics against values computed by hand and from tables. */
#include "measure/stats.h"

#include "test.h"

static void close_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
        fail_msg("got %.17g, want %.17g", got, want);
}

TEST(test_median_of_odd_and_even_counts)
{
    double odd[] = {5, 1, 4}, even[] = {4, 1, 3, 2}, one[] = {7};
    close_to(stats_median(odd, 3), 4);
    close_to(stats_median(even, 4), 2.5);
    close_to(stats_median(one, 1), 7);
    assert_true(isnan(stats_median(one, 0)));
}

TEST(test_quantiles_interpolate)
{
    const double v[] = {10, 20, 30, 40, 50};
    close_to(stats_quantile(v, 5, 0), 10);
    close_to(stats_quantile(v, 5, 1), 50);
    close_to(stats_quantile(v, 5, 0.25), 20);
    close_to(stats_quantile(v, 5, 0.9), 46);
    close_to(stats_quantile(v, 1, 0.9), 10);
}

/* The classical table of distribution-free 95% intervals of the median (Conover, Practical
 * Nonparametric Statistics, table A3): n, and the rank of the lower end. */
TEST(test_order_statistics_against_the_table)
{
    static const size_t table[][2] = {{1, 0},  {2, 0},   {5, 0},   {6, 1},   {7, 1},  {8, 1},
                                      {9, 2},  {10, 2},  {12, 3},  {15, 4},  {17, 5}, {20, 6},
                                      {25, 8}, {30, 10}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (stats_median_rank(table[i][0], 0.95) != table[i][1])
            fail_msg("n = %zu: rank %zu, the table has %zu", table[i][0],
                     stats_median_rank(table[i][0], 0.95), table[i][1]);
    assert_int_equal(stats_median_rank(0, 0.95), 0);
    assert_int_equal(stats_median_rank(5, 0.90), 1);
    assert_int_equal(stats_median_rank(2000, 0.95), 956); /* n for which 2^-n underflows */
}

static struct clusters clusters_of(const double *const *samples, const size_t *sizes, size_t n)
{
    return (struct clusters){samples, sizes, n};
}

TEST(test_interval_of_six_processes_is_exact)
{
    static const double v[6][3] = {{3, 3, 9}, {1, 1, 0}, {6, 6, 6},
                                   {2, 2, 2}, {5, 4, 5}, {4, 4, 4}};
    const double *samples[6];
    size_t sizes[6];
    for (size_t i = 0; i < 6; i++) {
        samples[i] = v[i];
        sizes[i] = 3;
    }
    bool exact = false;
    struct clusters c = clusters_of(samples, sizes, 6);
    struct interval ci = stats_median_interval(&c, &exact);
    assert_true(exact);
    close_to(ci.low, 1); /* the extremes: rank 1 of 6 */
    close_to(ci.high, 6);
}

TEST(test_few_processes_are_bootstrapped)
{
    static const double v[3][4] = {{10, 11, 12, 11}, {20, 21, 22, 21}, {30, 31, 32, 31}};
    const double *samples[] = {v[0], v[1], v[2]};
    const size_t sizes[] = {4, 4, 4};
    bool exact = true;
    struct clusters c = clusters_of(samples, sizes, 3);
    struct interval ci = stats_median_interval(&c, &exact), again = stats_cluster_bootstrap(&c);
    assert_false(exact);
    /* The interval covers the differences between processes, not the spread within one. */
    assert_true(ci.low >= 10 && ci.low < 13);
    assert_true(ci.high > 29 && ci.high <= 32);
    assert_true(ci.low <= 21 && 21 <= ci.high);
    close_to(again.low, ci.low);
    close_to(again.high, ci.high);
}

TEST(test_degenerate_sizes)
{
    static const double v[] = {4};
    const double *samples[] = {v};
    const size_t sizes[] = {1};
    bool exact = true;
    struct clusters one = clusters_of(samples, sizes, 1), none = {0};
    struct interval ci = stats_median_interval(&one, &exact);
    assert_false(exact);
    close_to(ci.low, 4);
    close_to(ci.high, 4);
    ci = stats_median_interval(&none, &exact);
    assert_true(isnan(ci.low) && isnan(ci.high));
}

TEST(test_far_out)
{
    const double quiet[] = {9, 10, 10, 11, 11, 12}, loud[] = {1, 10, 10, 10, 11, 11, 11, 90};
    assert_int_equal(stats_far_out(quiet, 6), 0);
    assert_int_equal(stats_far_out(loud, 8), 2);
    assert_int_equal(stats_far_out(loud, 0), 0);
}
