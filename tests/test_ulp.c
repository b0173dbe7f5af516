/* The error measure against cases computed by hand. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/bounds.h"
#include "oracle/ulp.h"

static struct ulp_stats measure_one(float got, double want)
{
    struct ulp_stats s;
    ulp_begin(&s);
    ulp_measure(&got, &want, 1, 0, &s, NULL);
    return s;
}

/* E of a pair by both ways of measuring. */
static void assert_error(float got, double want, double error)
{
    struct ulp_stats s = measure_one(got, want);
    assert_int_equal(s.measured, 1);
    assert_true(s.max == error);
    assert_true(ulp_error(got, want) == error);
    assert_int_equal(s.nan + s.inf + s.sign + s.flushed, 0);
}

static void test_powers_of_two(void **state)
{
    (void)state;
    assert_error(1, 1, 0);
    assert_error(nextafterf(1, 2), 1, 1);
    /* Below a power of two, floats are twice as close; the unit is that of y. */
    assert_error(nextafterf(1, 0), 1, 0.5);
    assert_error(1, (double)nextafterf(1, 0), 1);
    assert_error(1, 1 - 0x1p-25, 0.5);
    assert_error(1, 1 + 0x1p-24, 0.5);
    assert_error(2, 1, 0x1p23);
    assert_error(-3, -2, 0x1p22);
    assert_error(0x1.8p-100f, 0x1.800004p-100, 2);
    assert_error(FLT_MAX, 0x1.fffffep127 + 0x1p102, 0.25);
}

static void test_subnormals(void **state)
{
    (void)state;
    assert_error(0x1p-149f, 0x1p-149, 0);
    assert_error(0x1p-148f, 0x1p-149, 1);
    assert_error(0x1p-126f, 0x1p-126 - 0x1p-149, 1);
    assert_error(0x1p-126f, 0x1p-126 + 0x1p-150, 0.5);
    assert_error(0, 0x1p-150, 0.5);
    assert_error(0, 0x1.8p-150, 0.75);
    assert_error(0, 1e-300, 1e-300 * 0x1p149);
    assert_error(-0x1p-149f, 0, 1);
    assert_error(0, 0, 0);
    assert_error(-0.0f, 0, 0);
    assert_error(1, 0, 0x1p149);
}

struct counts {
    uint64_t nan, inf, sign, flushed;
};

static void assert_counted(float got, double want, struct counts c)
{
    struct ulp_stats s = measure_one(got, want);
    assert_int_equal(s.measured, 0);
    assert_int_equal(s.nan, c.nan);
    assert_int_equal(s.inf, c.inf);
    assert_int_equal(s.sign, c.sign);
    assert_int_equal(s.flushed, c.flushed);
    assert_true(s.max == -1 && s.sum == 0 && s.signed_sum == 0);
    assert_int_equal(s.misrounded + s.unfaithful, 0);
}

static void test_what_has_no_distance(void **state)
{
    (void)state;
    const double overflow = 0x1.ffffffp127; /* FLT_MAX + half an ulp: a tie, to even, to infinity */
    assert_counted(NAN, 1, (struct counts){.nan = 1});
    assert_counted(1, NAN, (struct counts){.nan = 1});
    assert_counted(INFINITY, NAN, (struct counts){.nan = 1});
    assert_counted(NAN, INFINITY, (struct counts){.nan = 1});
    assert_counted(NAN, NAN, (struct counts){0});
    assert_counted(INFINITY, 1, (struct counts){.inf = 1});
    assert_counted(1, INFINITY, (struct counts){.inf = 1});
    assert_counted(-1, INFINITY, (struct counts){.inf = 1});
    assert_counted(INFINITY, INFINITY, (struct counts){0});
    assert_counted(-INFINITY, INFINITY, (struct counts){.sign = 1});
    assert_counted(INFINITY, overflow, (struct counts){0});
    assert_counted(INFINITY, 1e300, (struct counts){0});
    assert_counted(FLT_MAX, overflow, (struct counts){.inf = 1});
    assert_counted(INFINITY, nextafter(overflow, 0), (struct counts){.inf = 1});
    assert_counted(-1, 1, (struct counts){.sign = 1});
    assert_counted(1e-45f, -1e-300, (struct counts){.sign = 1});
    assert_counted(0, 0x1p-149, (struct counts){.flushed = 1});
    assert_counted(0, -1, (struct counts){.flushed = 1});
    assert_counted(-0.0f, 0x1p-126, (struct counts){.flushed = 1});
    assert_counted(0, INFINITY, (struct counts){.inf = 1});
}

/* Every place of a block, in a vector's every lane and in the tail, and the first of equals. */
static void test_places(void **state)
{
    (void)state;
    enum { N = 523 };
    float got[N];
    double want[N];
    for (size_t i = 0; i < N; i++) got[i] = 1.5f, want[i] = 1.5;
    for (size_t at = 0; at < N; at++) {
        struct ulp_stats s;
        want[at] = 1.5 - 3 * 0x1p-23;
        want[N - 1] = 1.5 - 3 * 0x1p-23;
        ulp_begin(&s);
        ulp_measure(got, want, N, 1000, &s, NULL);
        assert_true(s.max == 3);
        assert_int_equal(s.max_at, 1000 + at);
        assert_true(s.sum == (at == N - 1 ? 3 : 6) && s.signed_sum == s.sum);
        assert_int_equal(s.misrounded, at == N - 1 ? 1 : 2);
        want[at] = want[N - 1] = 1.5;

        got[at] = NAN;
        ulp_begin(&s);
        ulp_measure(got, want, N, 0, &s, NULL);
        assert_int_equal(s.nan, 1);
        assert_int_equal(s.measured, N - 1);
        got[at] = 1.5f;
    }
}

static void test_shares(void **state)
{
    (void)state;
    /* E = 0, 0.5, 0.75, 1, a NaN, and two infinities that agree and are in no share. */
    const float got[] = {1, 1, 1, 1, NAN, INFINITY};
    const double want[] = {1, 1 + 0x1p-24, 1 + 0x1.8p-24, 1 + 0x1p-23, 1, INFINITY};
    struct ulp_stats s;
    ulp_begin(&s);
    ulp_measure(got, want, 6, 0, &s, NULL);
    assert_int_equal(ulp_elements(&s), 5);
    assert_true(ulp_misrounded(&s) == 3.0 / 5);
    assert_true(ulp_unfaithful(&s) == 2.0 / 5);
    assert_true(ulp_mean(&s) == 2.25 / 4);
    assert_true(ulp_bias(&s) == -2.25 / 4);

    ulp_begin(&s);
    ulp_measure(got, want, 0, 0, &s, NULL);
    assert_true(isnan(ulp_mean(&s)) && isnan(ulp_misrounded(&s)));
}

/* Merged in pieces, a block is the same as at once, but for the last bits of its sums. */
static void test_merge(void **state)
{
    (void)state;
    enum { N = 1000 };
    float got[N];
    double want[N];
    for (size_t i = 0; i < N; i++) {
        got[i] = 1 + (float)(i % 7) * 0x1p-20f;
        want[i] = 1 + (double)(i % 5) * 0x1p-22;
    }
    struct ulp_stats whole, parts;
    struct ulp_histogram *h = calloc(3, sizeof *h);
    assert_non_null(h);
    ulp_begin(&whole);
    ulp_measure(got, want, N, 0, &whole, &h[0]);
    ulp_begin(&parts);
    for (size_t i = 0; i < N; i += 77) {
        struct ulp_stats s;
        ulp_begin(&s);
        ulp_measure(got + i, want + i, N - i < 77 ? N - i : 77, i, &s, &h[i % 2 ? 1 : 2]);
        ulp_merge(&parts, &s);
    }
    ulp_merge_histogram(&h[1], &h[2]);
    assert_memory_equal(&whole, &parts, sizeof whole); /* these sums are exact */
    assert_memory_equal(&h[0], &h[1], sizeof h[0]);
    free(h);
}

static void test_percentiles(void **state)
{
    (void)state;
    enum { N = 10000 };
    float *got = malloc(N * sizeof *got);
    double *want = malloc(N * sizeof *want);
    struct ulp_histogram *h = calloc(1, sizeof *h);
    assert_true(got && want && h);
    /* E = (i + 1) / N in a shuffled order: the percentiles are known. */
    for (size_t i = 0; i < N; i++) {
        got[i] = 1.5f;
        want[i] = 1.5 + (double)(i * 7919 % N + 1) / N * 0x1p-23;
    }
    struct ulp_stats s;
    ulp_begin(&s);
    ulp_measure(got, want, N, 0, &s, h);
    static const double shares[] = {0.5, 0.99, 0.9999};
    for (size_t i = 0; i < 3; i++) {
        double p = ulp_percentile(h, &s, shares[i]);
        assert_true(p >= shares[i] * (1 - 1e-9) && p <= shares[i] * (1 + 1.0 / 64));
    }
    assert_true(ulp_percentile(h, &s, 1) == s.max);
    memset(h, 0, sizeof *h);
    ulp_begin(&s);
    assert_true(isnan(ulp_percentile(h, &s, 0.5)));
    want[0] = (double)got[0];
    ulp_measure(got, want, 1, 0, &s, h);
    assert_true(ulp_percentile(h, &s, 0.99) == 0);
    free(got);
    free(want);
    free(h);
}

static void test_scaled_error(void **state)
{
    (void)state;
    const float got[] = {1 + 0x1p-23f, 1e-3f, NAN, INFINITY, 3};
    const double want[] = {1, 0, 1, 1, INFINITY};
    assert_true(ulp_scaled_error(got, want, 1, 0) == 2); /* 2^-23 = 2 u */
    assert_true(ulp_scaled_error(got, want, 1, 4) == 0.5);
    assert_true(ulp_scaled_error(got + 1, want + 1, 1, 8) == (double)1e-3f / 8 * 0x1p24);
    assert_true(ulp_scaled_error(got + 2, want + 2, 3, 0) == 0);
}

/* A result exactly at its bound is allowed, one beyond it is not. */
static void test_bounds(void **state)
{
    (void)state;
    const struct kernel twopass = {.bound = BOUND_VARIANCE_TWOPASS, .lanes = 1};
    const float x[] = {1, 2, 3, 4};
    const double want[] = {2.5, 1.25};
    struct oracle_row facts = {.mean = 2.5, .deviations = 5};
    /* kappa^2 = 1 + 4 * 6.25 / 5 = 6: (4 + 4 + 16 * 6 u) u. */
    const double bound = (8 + 96 * 0x1p-24) * 0x1p-24 * 1.25;
    float got[] = {2.5f, (float)(1.25 * (1 + 64 * 0x1p-23))};
    struct bound_ratio r;
    bounds_begin(&r);
    bounds_row(&twopass, &parameters_default, x, 4, got, want, &facts, &r);
    double ratio = ((double)got[1] - 1.25) / bound;
    assert_true(fabs(r.worst - ratio) < 1e-6 * ratio);
    assert_true(r.worst_probabilistic >= r.worst);

    const struct kernel none = {.bound = BOUND_NONE};
    bounds_begin(&r);
    bounds_row(&none, &parameters_default, x, 4, got, want, &facts, &r);
    assert_true(r.worst < 0);
    facts.deviations = 0; /* kappa is infinite */
    bounds_row(&twopass, &parameters_default, x, 4, got, want, &facts, &r);
    assert_true(r.worst < 0);

    /* softmax of (0, 0): one half each; 2 components, h = 1: (0 + 0 + 4 * 1 + 1 + 2) u. */
    const struct kernel softmax = {.bound = BOUND_SOFTMAX, .lanes = 1, .exp_ulp = 1};
    const float zeros[] = {0, 0}, half[] = {0.5f, 0.5f + 0x1p-24f};
    const double halves[] = {0.5, 0.5};
    facts = (struct oracle_row){.max = 0};
    bounds_row(&softmax, &parameters_default, zeros, 2, half, halves, &facts, &r);
    assert_true(fabs(r.worst - 2.0 / 7) < 1e-12);
}

/* Whole tiles, parts of one and tiles with a special value in them: the sums are those of 8 lanes,
 * in one order. */
static void test_sums_are_the_same_bits(void **state)
{
    (void)state;
    enum { TILE = 256 };
    static const size_t lengths[] = {TILE, TILE - 1, TILE - 7};
    for (size_t k = 0; k < 6; k++) {
        float got[TILE];
        double want[TILE], lanes[8] = {0}, biases[8] = {0}, worst = -1;
        size_t n = lengths[k % 3], special = k < 3 ? n : 77, at = 0, wrong = 0;
        for (size_t i = 0; i < n; i++) {
            want[i] = exp(0.37 * (double)i - 50) * (i % 3 ? 1 : -1);
            got[i] = nextafterf((float)want[i], (float)(i % 5) - 2);
            if (i == special) want[i] = NAN;
            if (i == special) continue;
            double e = ulp_error(got[i], want[i]);
            lanes[i % 8] += e;
            biases[i % 8] += (double)got[i] > want[i] ? e : -e;
            if (e > worst) at = i;
            worst = e > worst ? e : worst;
            wrong += e > 0.5;
        }
        struct ulp_stats s;
        ulp_begin(&s);
        ulp_measure(got, want, n, 0, &s, NULL);
        double v[4], w[4];
        for (size_t i = 0; i < 4; i++) v[i] = lanes[i] + lanes[i + 4];
        for (size_t i = 0; i < 4; i++) w[i] = biases[i] + biases[i + 4];
        assert_true(s.sum == (v[0] + v[1]) + (v[2] + v[3]));
        assert_true(s.signed_sum == (w[0] + w[1]) + (w[2] + w[3]));
        assert_true(s.max == worst && s.max_at == at);
        assert_int_equal(s.misrounded, wrong);
        assert_int_equal(s.measured, n - (special < n));
        assert_int_equal(s.nan, special < n);
    }
}

/* Where a histogram is asked for, each element has its E; where none is, whole tiles of one binade,
 * and of one pair, are measured the short way. */
static void assert_short_way(const float *got, const double *want, size_t n)
{
    static struct ulp_histogram h;
    struct ulp_stats s, each;
    uint64_t measured = 0;
    double max = -1;
    ulp_begin(&s);
    ulp_begin(&each);
    ulp_measure(got, want, n, 9, &s, NULL);
    ulp_measure(got, want, n, 9, &each, &h);
    for (size_t i = 0; i < n; i++) {
        struct ulp_stats one = measure_one(got[i], want[i]);
        measured += one.measured;
        max = one.max > max ? one.max : max;
    }
    assert_int_equal(s.measured, measured);
    assert_true(s.max == max);
    assert_int_equal(s.measured, each.measured);
    assert_int_equal(s.nan, each.nan);
    assert_int_equal(s.inf, each.inf);
    assert_int_equal(s.sign, each.sign);
    assert_int_equal(s.flushed, each.flushed);
    assert_int_equal(s.misrounded, each.misrounded);
    assert_int_equal(s.unfaithful, each.unfaithful);
    assert_int_equal(s.max_at, each.max_at);
    assert_true(s.max == each.max && s.sum == each.sum && s.signed_sum == each.signed_sum);
}

static void test_tiles_of_one_binade(void **state)
{
    (void)state;
    enum { N = 512 };
    static const double scales[] = {1, -1, 0x1p-126, 0x1p-127, 0x1p-140, 0x1p125, 0x1p127, 0};
    static const float planted[] = {1.5f, NAN, INFINITY, -INFINITY, 0, -1.5f, 0x1p30f, 1.0f};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++)
        for (size_t p = 0; p < sizeof planted / sizeof *planted; p++) {
            float got[N];
            double want[N];
            for (size_t i = 0; i < N; i++) {
                want[i] = scales[k] * (1 + (double)(i * 7919 % N) * 0x1.001p-9);
                got[i] = nextafterf((float)want[i], i % 3 ? INFINITY : -INFINITY);
                if (i % 5 == 0) got[i] = nextafterf(got[i], INFINITY);
            }
            got[300] = planted[p] * (float)(scales[k] == 0 ? 1 : scales[k]);
            assert_short_way(got, want, N);
        }
}

static void test_tiles_of_one_pair(void **state)
{
    (void)state;
    enum { N = 512 };
    static const struct {
        float got;
        double want;
    } pairs[] = {{NAN, NAN},
                 {INFINITY, INFINITY},
                 {INFINITY, 1e300},
                 {-INFINITY, 1e39},
                 {0, 0},
                 {-0.0f, 0},
                 {1, 1},
                 {NAN, 1},
                 {1, NAN},
                 {0, 1},
                 {-1, 1},
                 {1, INFINITY},
                 {1, 1 + 0x1p-24},
                 {0, 0x1p-151},
                 {0x1p-149f, 0x1p-149},
                 {1, 2}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        float got[N];
        double want[N];
        for (size_t i = 0; i < N; i++) got[i] = pairs[p].got, want[i] = pairs[p].want;
        assert_short_way(got, want, N);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_the_same_bits),
        cmocka_unit_test(test_tiles_of_one_binade),
        cmocka_unit_test(test_tiles_of_one_pair),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_subnormals),
        cmocka_unit_test(test_what_has_no_distance),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_scaled_error),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
