// SPDX-License-Identifier: MIT
/* The error measure against cases computed by hand. */
#include <float.h>

#include "oracle/bounds.h"
#include "oracle/ulp.h"

#include "test.h"

static struct ulp_stats measure_one(float got, double want)
{
    struct ulp_stats s;
    ulp_begin(&s);
    ulp_measure(&got, &want, 1, 0, &s, NULL);
    return s;
}

/* Asserts E of a pair, measured in both ways. */
static void assert_error(float got, double want, double error)
{
    struct ulp_stats s = measure_one(got, want);
    assert_int_equal(s.measured, 1);
    assert_true(s.max == error);
    assert_true(ulp_error(got, want) == error);
    assert_int_equal(s.lost + s.flushed, 0);
    assert_false(ulp_is_lost(&dtype_f32, got, want));
}

TEST(test_powers_of_two)
{
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

TEST(test_subnormals)
{
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

/* A result that is wrong by orders of magnitude has a finite error, too. */
TEST(test_far_off)
{
    assert_error(0, 1, 0x1p23);
    assert_error(0, 1.25, 0x1.4p23);
    assert_error(-0.0f, 0x1p-126, 0x1p23);
    assert_error(-1, 1, 0x1p24);
    assert_error(-16, 0x1.6p-16, (16 + 0x1.6p-16) * 0x1p39);
    assert_error(0x1p-149f, -0x1p-149, 2);
    assert_error(FLT_MAX, 0x1.ffffffp127, 0.5); /* finite, although it rounds to infinity */
    assert_error(FLT_MAX, 0x1p128, 0.5);
    assert_error(1, 0x1p1000, 0x1p23 * (1 - 0x1p-1000));
    assert_error(0, -1e300, 1e300 / ldexp(1, ilogb(1e300) - 23));
    assert_error(-1, 1e39, (1 + 1e39) / ldexp(1, ilogb(1e39) - 23));
}

struct counts {
    uint64_t measured, lost, flushed, nan, inf, sign, zero;
};

static struct counts counts_of(const struct ulp_stats *s)
{
    return (struct counts){s->measured, s->lost, s->flushed, s->nan, s->inf, s->sign, s->zero};
}

static void assert_counts(float got, double want, struct counts c)
{
    struct ulp_stats s = measure_one(got, want);
    struct counts own = counts_of(&s);
    assert_memory_equal(&own, &c, sizeof c);
    assert_int_equal(ulp_is_lost(&dtype_f32, got, want), c.lost);
    if (c.measured) return;
    assert_true(s.max == -1 && s.sum == 0 && s.signed_sum == 0);
    assert_int_equal(s.misrounded + s.unfaithful, 0);
}

TEST(test_counts)
{
    const double overflow = 0x1.ffffffp127; /* FLT_MAX + half an ulp, a tie: to even */
    assert_counts(NAN, 1, (struct counts){.lost = 1, .nan = 1});
    assert_counts(1, NAN, (struct counts){.lost = 1, .nan = 1});
    assert_counts(INFINITY, NAN, (struct counts){.lost = 1, .nan = 1});
    assert_counts(NAN, INFINITY, (struct counts){.lost = 1, .nan = 1});
    assert_counts(NAN, NAN, (struct counts){0});
    assert_counts(INFINITY, 1, (struct counts){.lost = 1, .inf = 1});
    assert_counts(1, INFINITY, (struct counts){.lost = 1, .inf = 1});
    assert_counts(-1, INFINITY, (struct counts){.lost = 1, .inf = 1});
    assert_counts(0, INFINITY, (struct counts){.lost = 1, .inf = 1});
    assert_counts(INFINITY, INFINITY, (struct counts){0});
    assert_counts(-INFINITY, INFINITY, (struct counts){.lost = 1, .sign = 1});
    assert_counts(-INFINITY, 1e39, (struct counts){.lost = 1, .sign = 1});
    assert_counts(INFINITY, overflow, (struct counts){0});
    assert_counts(INFINITY, 1e300, (struct counts){0});
    assert_counts(FLT_MAX, overflow, (struct counts){.measured = 1, .inf = 1});
    assert_counts(INFINITY, nextafter(overflow, 0), (struct counts){.lost = 1, .inf = 1});
    assert_counts(-1, 1, (struct counts){.measured = 1, .sign = 1});
    assert_counts(1e-45f, -1e-300, (struct counts){.measured = 1, .sign = 1});
    assert_counts(0, -0.0, (struct counts){.measured = 1, .sign = 1});
    assert_counts(-0.0f, 1e-300, (struct counts){.measured = 1, .sign = 1});
    assert_counts(-0.0f, -1e-300, (struct counts){.measured = 1});
    assert_counts(1e-45f, -0.0, (struct counts){.measured = 1});
    assert_counts(0, 0x1p-149, (struct counts){.flushed = 1});
    assert_counts(-0.0f, -0x1.fffffep-127, (struct counts){.flushed = 1});
    assert_counts(0, -1, (struct counts){.measured = 1, .zero = 1});
    assert_counts(-0.0f, 0x1p-126, (struct counts){.measured = 1, .zero = 1});
    assert_counts(1, 1, (struct counts){.measured = 1});
}

/* The index of the largest error is right for every place of a block, in every lane and in the
 * tail; of equal errors the first counts. */
TEST(test_places)
{
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
        assert_int_equal(s.lost_at, at);
        got[at] = 1.5f;
    }
}

TEST(test_shares)
{
    /* E = 0, 0.5, 0.75, 1, a NaN, and two equal infinities, which enter no share. */
    const float got[] = {1, 1, 1, 1, NAN, INFINITY};
    const double want[] = {1, 1 + 0x1p-24, 1 + 0x1.8p-24, 1 + 0x1p-23, 1, INFINITY};
    struct ulp_stats s;
    ulp_begin(&s);
    ulp_measure(got, want, 6, 0, &s, NULL);
    assert_int_equal(ulp_elements(&s), 5);
    assert_true(ulp_misrounded(&s) == 3.0 / 5);
    assert_true(ulp_unfaithful(&s) == 2.0 / 5);
    /* Lost results must not improve a figure. */
    assert_true(isinf(ulp_mean(&s)) && isnan(ulp_bias(&s)));
    ulp_begin(&s);
    ulp_measure(got, want, 4, 0, &s, NULL);
    assert_true(ulp_mean(&s) == 2.25 / 4);
    assert_true(ulp_bias(&s) == -2.25 / 4);

    ulp_begin(&s);
    ulp_measure(got, want, 0, 0, &s, NULL);
    assert_true(isnan(ulp_mean(&s)) && isnan(ulp_misrounded(&s)));
}

/* A block merged from pieces is that measured at once, but for the last bits of its sums. */
TEST(test_merge)
{
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

TEST(test_percentiles)
{
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
    got[0] = NAN; /* one of two results is lost */
    ulp_measure(got, want, 1, 1, &s, h);
    assert_true(ulp_percentile(h, &s, 0.5) == 0);
    assert_true(isinf(ulp_percentile(h, &s, 0.51)));
    free(got);
    free(want);
    free(h);
}

TEST(test_scaled_error)
{
    const float got[] = {1 + 0x1p-23f, 1e-3f, NAN, INFINITY, 3, NAN, INFINITY, -INFINITY, 0};
    const double want[] = {1, 0, 1, 1, INFINITY, NAN, INFINITY, -1e39, 1};
    assert_true(ulp_scaled_error(got, want, 1, 0) == 2); /* 2^-23 = 2 u */
    assert_true(ulp_scaled_error(got, want, 1, 4) == 0.5);
    assert_true(ulp_scaled_error(got + 1, want + 1, 1, 8) == (double)1e-3f / 8 * 0x1p24);
    for (size_t i = 2; i < 5; i++) assert_true(isinf(ulp_scaled_error(got + i, want + i, 1, 0)));
    assert_true(ulp_scaled_error(got + 5, want + 5, 3, 0) == 0);
    assert_true(ulp_scaled_error(got + 5, want + 5, 4, 0) == 0x1p24);
    assert_true(isinf(ulp_scaled_error(got, want, 9, 0)));
}

/* A result exactly at its bound is allowed, one beyond it is not. */
TEST(test_bounds)
{
    const struct kernel twopass = {.bound = BOUND_VARIANCE_TWOPASS, .lanes = 1};
    const float x[] = {1, 2, 3, 4};
    const double want[] = {2.5, 1.25};
    struct oracle_row facts = {.mean = 2.5, .deviations = 5};
    /* kappa^2 = 1 + 4 * 6.25 / 5 = 6, so the bound is (4 + 4 + 16 * 6 u) u. */
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

    /* A lost result exceeds every bound. */
    facts.deviations = 5;
    got[1] = NAN;
    bounds_row(&twopass, &parameters_default, x, 4, got, want, &facts, &r);
    assert_true(isinf(r.worst) && isinf(r.worst_probabilistic));
    bounds_begin(&r);

    /* softmax of (0, 0) is one half each; for 2 components and h = 1 the bound is (0 + 0 + 4 * 1 +
     * 1 + 2) u. */
    const struct kernel softmax = {.bound = BOUND_SOFTMAX, .lanes = 1, .exp_ulp = 1};
    const float zeros[] = {0, 0}, half[] = {0.5f, 0.5f + 0x1p-24f};
    const double halves[] = {0.5, 0.5};
    facts = (struct oracle_row){.max = 0};
    bounds_row(&softmax, &parameters_default, zeros, 2, half, halves, &facts, &r);
    assert_true(fabs(r.worst - 2.0 / 7) < 1e-12);

    /* Beside -infinity, whose exponential is exactly 0, the bound is what underflow may leave. */
    const float beside[] = {0, -INFINITY}, off[] = {1, 1e-3f};
    const double exact[] = {1, 0};
    bounds_begin(&r);
    bounds_row(&softmax, &parameters_default, beside, 2, off, exact, &facts, &r);
    assert_true(r.worst > 1e40);
}

/* Complete tiles, partial ones and tiles with a special value: the sums are those of 8 lanes, in
 * one order. */
TEST(test_sums_are_the_same_bits)
{
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

/* An independent error measure of one pair, in long double and with the C library's classification
 * alone. */
static struct ulp_stats reference(float got, double want, enum ulp_region *region)
{
    struct ulp_stats s = {.max = -1};
    float rounded = (float)want; /* to nearest: infinite if |want| is too large */
    *region = fabs(want) < FLT_MIN ? ULP_SUBNORMAL : fabs(want) < 0x1p127 ? ULP_NORMAL : ULP_ENDS;
    if (isnan(got) && isnan(want)) return s;
    s.nan = isnan(got) || isnan(want);
    if (!s.nan) {
        if (isinf(rounded) && got == rounded) return s;
        s.inf = !isinf(got) != !isinf(rounded);
        bool same_kind = got != 0 ? want != 0 : fabs(want) < 0x1p-149;
        s.sign = !s.inf && same_kind && !signbit(got) != !signbit(want);
        bool vanished = got == 0 && fabs(want) >= 0x1p-149 && !s.inf;
        s.zero = vanished && fabs(want) >= FLT_MIN;
        s.flushed = vanished && fabs(want) < FLT_MIN;
    }
    s.lost = s.nan || isinf(got) || isinf(want);
    if (s.lost || s.flushed) return s;
    int exponent = want == 0 ? -126 : ilogb(want) < -126 ? -126 : ilogb(want);
    s.measured = 1;
    s.max = (double)(fabsl((long double)got - (long double)want) / ldexpl(1, exponent - 23));
    s.misrounded = s.max > 0.5;
    s.unfaithful = s.max >= 1;
    return s;
}

/* With a histogram each element gets its E; without one, complete tiles of one binade are measured
 * by a shorter way, and so is a single pair. Both are compared with the reference. */
static void assert_short_way(const float *got, const double *want, size_t n)
{
    static struct ulp_histogram h;
    struct ulp_stats ways[3], sum;
    struct ulp_regions regions, expected;
    enum { FIRST = 9 };
    ulp_begin(&sum);
    ulp_begin_regions(&regions);
    ulp_begin_regions(&expected);
    for (size_t k = 0; k < 3; k++) ulp_begin(&ways[k]);
    ulp_measure(got, want, n, FIRST, &ways[0], NULL);
    ulp_measure(got, want, n, FIRST, &ways[1], &h);
    ulp_measure_regions(got, want, n, FIRST, false, &ways[2], &regions);
    for (size_t i = 0; i < n; i++) {
        enum ulp_region region;
        struct ulp_stats one = reference(got[i], want[i], &region);
        one.max_at = one.lost_at = one.odd_at = FIRST + i;
        if (one.max > expected.of[region].max)
            expected.of[region].max = one.max, expected.of[region].at = FIRST + i;
        ulp_merge(&sum, &one);
    }
    if (!sum.lost) sum.lost_at = 0;
    if (!(sum.sign + sum.zero)) sum.odd_at = 0;
    for (size_t k = 0; k < 3; k++) {
        struct counts own = counts_of(&ways[k]), all = counts_of(&sum);
        assert_memory_equal(&own, &all, sizeof own);
        assert_true(ways[k].max == sum.max);
        if (sum.measured) assert_int_equal(ways[k].max_at, sum.max_at);
        assert_int_equal(ways[k].lost_at, sum.lost_at);
        assert_int_equal(ways[k].odd_at, sum.odd_at);
        assert_int_equal(ways[k].misrounded, sum.misrounded);
        assert_int_equal(ways[k].unfaithful, sum.unfaithful);
        assert_true(ways[k].sum == ways[0].sum && ways[k].signed_sum == ways[0].signed_sum);
    }
    for (size_t k = 0; k < ULP_REGIONS; k++) {
        assert_true(regions.of[k].max == expected.of[k].max);
        if (expected.of[k].max >= 0) assert_int_equal(regions.of[k].at, expected.of[k].at);
    }
}

TEST(test_tiles_of_one_binade)
{
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

/* Pairs of random floats with exact values that are near, far, or not numbers. */
TEST(test_any_pairs)
{
    enum { N = 1000, ROUNDS = 300 };
    static const double odd[] = {NAN,      INFINITY,      -INFINITY, 0,      -0.0,  1e300,
                                 -1e39,    1e39,          1e-40,     -1e-42, 1e-60, 0x1p-126,
                                 0x1p-149, 0x1.ffffffp127};
    uint64_t state_of_bits = 88172645463325252u;
    for (size_t round = 0; round < ROUNDS; round++) {
        float got[N];
        double want[N];
        for (size_t i = 0; i < N; i++) {
            state_of_bits ^= state_of_bits << 13;
            state_of_bits ^= state_of_bits >> 7;
            state_of_bits ^= state_of_bits << 17;
            uint32_t bits = (uint32_t)(state_of_bits >> 32), choice = (uint32_t)state_of_bits % 64;
            memcpy(&got[i], &bits, sizeof bits);
            want[i] = choice < 14   ? odd[choice]
                      : choice < 40 ? (double)got[i] * (1 + (double)choice * 0x1p-27)
                                    : (double)nextafterf(got[i], choice % 2 ? 0 : INFINITY);
            if (choice == 63) got[i] = 0;
        }
        assert_short_way(got, want, N);
    }
}

TEST(test_tiles_of_one_pair)
{
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
                 {1, 2},
                 {FLT_MAX, 1e39},
                 {-INFINITY, INFINITY},
                 {INFINITY, 1},
                 {0, 0x1p-140},
                 {0, 0x1p-126}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        float got[N];
        double want[N];
        for (size_t i = 0; i < N; i++) got[i] = pairs[p].got, want[i] = pairs[p].want;
        assert_short_way(got, want, N);
    }
}
