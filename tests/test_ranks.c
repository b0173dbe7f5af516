// SPDX-License-Identifier: MIT
/* Rank statistics against published and independently computed values. */
#include "measure/evidence.h"

#include "drive.h"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g", got, want);
}

#define SAMPLE(...)                                                                                \
    (struct sample)                                                                                \
    {                                                                                              \
        (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)      \
    }

/* Hollander and Wolfe, Nonparametric Statistical Methods, 1973, page 69: permeability constants of
 * the human chorioamnion. R's ?wilcox.test has the same data: W = 35, p = 0.1272 one-sided; its
 * conf.int is [-0.15, 0.76] around 0.305. */
TEST(test_mann_whitney_and_hodges_lehmann_of_a_textbook)
{
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
TEST(test_the_least_p_is_the_number_of_ways)
{
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
TEST(test_ties_are_exact_in_small_samples)
{
    assert_near(compare_p(SAMPLE(1, 1, 2, 3, 5, 5), SAMPLE(2, 3, 3, 5, 8, 9, 9)),
                0.10955710955710955, 1e-12);
    assert_near(compare_p(SAMPLE(4, 4, 4), SAMPLE(4, 4, 4, 4)), 1, 0);
}

/* scipy 1.10.1: mannwhitneyu(method='asymptotic'), 0.5971737414789684. */
TEST(test_large_samples_are_approximated_with_ties)
{
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
TEST(test_the_exact_interval_meets_the_approximate_one)
{
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
