// SPDX-License-Identifier: MIT
/* The oracle against MPFR: on every operation and family its error is below 2^-10 fp32 ulp, or the
 * row is marked `beyond`; and the input families. */
#include <float.h>

#include "exact.h"
#include "test.h"
#include "oracle/unary.h"

enum { N_MAX = 1100 };

/* Returns true if the row is certified, false if it is marked as beyond the oracle. */
static bool certify(const struct certified *c, struct exact *m, const float *x, size_t n,
                    const struct parameters *p, const char *where)
{
    struct verdict v = exact_examine(c, m, x, n, p);
    if (!(v.worst < 0x1p-10))
        fail_msg("%s, %s, n = %zu: value %zu is %a, off by %g ulp", c->op, where, n, v.at, v.got,
                 v.worst);
    return !v.beyond;
}

TEST(test_families)
{
    static const size_t sizes[] = {1, 2, 3, 7, 64, 129, 1000};
    struct exact *m = exact_new(N_MAX, EXACT_BITS);
    float x[N_MAX], gamma[N_MAX], beta[N_MAX];
    size_t rows = 0, beyond = 0;
    for (size_t c = 0; certified[c].op; c++)
        for (enum family f = 0; f < FAMILY_SPECIAL; f++) /* the families with exact values */
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (uint64_t row = 0; row < (sizes[s] < 100 ? 6 : 1); row++) {
                    const struct oracle *o = oracle_find(certified[c].op);
                    struct parameters p = parameters_default;
                    inputs_affine(sizes[s], gamma, beta);
                    if (oracle_is_affine(o)) p.gamma = gamma;
                    if (oracle_has_beta(o)) p.beta = beta;
                    inputs_row(f, o->domain, 42, row, sizes[s], x);
                    beyond += !certify(&certified[c], m, x, sizes[s], &p, family_name(f));
                    rows++;
                }
    assert_true(rows > 2000);
    assert_int_equal(beyond, 0);
    exact_free(m);
}

/* Rows whose logsumexp is 2^-k, for growing k: certified while fp64 or the x87 format suffices,
 * marked from then on. */
TEST(test_logsumexp_near_zero)
{
    const struct certified *c = &certified[2];
    struct exact *m = exact_new(N_MAX, EXACT_BITS);
    size_t certified_rows = 0, extended = 0, beyond = 0;
    for (unsigned k = 0; k < 30; k++)
        for (uint64_t row = 0; row < 20; row++) {
            float x[50];
            double y;
            struct oracle_row facts;
            inputs_row(FAMILY_NORMAL, DOMAIN_EXPONENT, 7, row, 50, x);
            oracle_find(c->op)->row(x, 50, &parameters_default, &y, &facts);
            for (size_t i = 0; i < 50; i++) x[i] -= (float)(y - ldexp(1, -(int)k));
            oracle_find(c->op)->row(x, 50, &parameters_default, &y, &facts);
            extended += !facts.beyond && fabs(y) < 0x1p-16;
            if (certify(c, m, x, 50, &parameters_default, "near zero"))
                certified_rows++;
            else
                beyond++;
        }
    assert_true(certified_rows > 300);
    assert_true(extended > 20);
    assert_true(beyond > 0);
    exact_free(m);
}

TEST(test_scale_and_affine)
{
    struct exact *m = exact_new(N_MAX, EXACT_BITS);
    float x[200], gamma[200], beta[200];
    inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, 3, 0, 200, gamma);
    inputs_row(FAMILY_LOGITS, DOMAIN_MOMENTS, 3, 1, 200, beta);
    static const float scales[] = {0.125f, 3, 0.1f, 1e-3f, -2};
    for (uint64_t row = 0; row < 10; row++) {
        struct parameters p = parameters_default;
        inputs_row(FAMILY_LOGITS, DOMAIN_EXPONENT, 4, row, 200, x);
        p.scale = scales[row % 5];
        assert_true(certify(&certified[0], m, x, 200, &p, "scaled"));
        p.scale = 1;
        p.gamma = gamma;
        assert_true(certify(&certified[4], m, x, 200, &p, "gamma"));
        p.beta = beta;
        assert_true(certify(&certified[4], m, x, 200, &p, "gamma and beta"));
    }
    exact_free(m);
}

/* Sums that cancel to the last bit, over all exponents. */
TEST(test_cancelling_sums)
{
    struct exact *m = exact_new(N_MAX, EXACT_BITS);
    float x[400];
    for (uint64_t row = 0; row < 20; row++) {
        inputs_row(FAMILY_WIDE, DOMAIN_MOMENTS, 5, row, 200, x);
        for (size_t i = 0; i < 200; i++) x[200 + i] = -x[i];
        x[row] += row % 2 ? 0 : x[row + 1] * 0x1p-20f;
        assert_true(certify(&certified[3], m, x, 400, &parameters_default, "cancelling"));
        certify(&certified[4], m, x, 400, &parameters_default, "cancelling");
    }
    exact_free(m);
}

struct special {
    const char *op;
    size_t n;
    float x[3];
    double y[3];
};

TEST(test_specials)
{
    const float inf = INFINITY, nan = NAN;
    const double Inf = INFINITY, Nan = NAN;
    const struct special specials[] = {
        {"softmax", 2, {nan, 0}, {Nan, Nan}},
        {"softmax", 2, {inf, 0}, {Nan, Nan}},
        {"softmax", 2, {-inf, -inf}, {Nan, Nan}},
        {"softmax", 3, {-inf, 0, -inf}, {0, 1, 0}},
        {"softmax", 1, {3}, {1}},
        {"logsumexp", 0, {0}, {-Inf}},
        {"logsumexp", 2, {-inf, -inf}, {-Inf}},
        {"logsumexp", 2, {inf, -inf}, {Inf}},
        {"logsumexp", 3, {inf, 1, nan}, {Nan}},
        {"logsumexp", 2, {-inf, 2}, {2}},
        {"logsumexp", 1, {-0x1p-149f}, {-0x1p-149}},
        {"moments", 0, {0}, {Nan, Nan}},
        {"moments", 1, {7}, {7, 0}},
        {"moments", 2, {inf, 1}, {Inf, Nan}},
        {"moments", 2, {inf, -inf}, {Nan, Nan}},
        {"moments", 3, {1, nan, 2}, {Nan, Nan}},
        {"moments", 3, {FLT_MAX, FLT_MAX, FLT_MAX}, {FLT_MAX, 0}},
        {"layernorm", 2, {nan, 1}, {Nan, Nan}},
        {"layernorm", 2, {4, 4}, {0, 0}},
        {"rmsnorm", 2, {nan, 1}, {Nan, Nan}},
        {"rmsnorm", 3, {-inf, 1, 0}, {Nan, 0, 0}},
        {"rmsnorm", 2, {FLT_MAX, -FLT_MAX}, {1, -1}},
        {"exp", 3, {inf, -inf, nan}, {Inf, 0, Nan}},
        {"exp", 3, {0, -0.0f, 1e-45f}, {1, 1, 1}},
        {"log", 3, {inf, -1, nan}, {Inf, Nan, Nan}},
        {"log", 3, {0, -0.0f, 1}, {-Inf, -Inf, 0}},
        {"log2", 3, {inf, -1, nan}, {Inf, Nan, Nan}},
        {"log2", 3, {0, -0.0f, 0x1p-149f}, {-Inf, -Inf, -149}},
        {"sigmoid", 3, {inf, -inf, nan}, {1, 0, Nan}},
        {"sigmoid", 3, {0, -0.0f, 1e-45f}, {0.5, 0.5, 0.5}},
        {"gelu", 3, {inf, -inf, nan}, {Inf, -0.0, Nan}},
        {"gelutanh", 3, {inf, -inf, nan}, {Inf, -0.0, Nan}},
        {"gelutanh", 3, {0, -0.0f, -FLT_MAX}, {0, -0.0, -0.0}},
        {"gelu", 3, {0, -0.0f, -FLT_MAX}, {0, -0.0, -0.0}},
        {"exp2", 3, {inf, -inf, nan}, {Inf, 0, Nan}},
        {"exp2", 3, {0, -149, 1e-45f}, {1, 0x1p-149, 1}},
        {"expm1", 3, {inf, -inf, nan}, {Inf, -1, Nan}},
        {"expm1", 3, {0, -0.0f, 0x1p-149f}, {0, -0.0, 0x1p-149}},
        {"log1p", 3, {inf, -1, nan}, {Inf, -Inf, Nan}},
        {"log1p", 3, {0, -0.0f, -0x1.000002p+0f}, {0, -0.0, Nan}},
        {"log1p", 3, {0x1p-149f, -inf, -2}, {0x1p-149, Nan, Nan}},
        {"tanh", 3, {inf, -inf, nan}, {1, -1, Nan}},
        {"tanh", 3, {0, -0.0f, 0x1p-149f}, {0, -0.0, 0x1p-149}},
        {"erf", 3, {inf, -inf, nan}, {1, -1, Nan}},
        {"erf", 2, {0, -0.0f}, {0, -0.0}},
        {"silu", 3, {inf, -inf, nan}, {Inf, -0.0, Nan}},
        {"silu", 3, {0, -0.0f, 0x1p-148f}, {0, -0.0, 0x1p-149}},
        {"silu", 2, {FLT_MAX, -FLT_MAX}, {FLT_MAX, -0.0}},
        {"softplus", 3, {inf, -inf, nan}, {Inf, 0, Nan}},
        {"softplus", 2, {FLT_MAX, -FLT_MAX}, {FLT_MAX, 0}},
        {"sin", 3, {inf, -inf, nan}, {Nan, Nan, Nan}},
        {"sin", 3, {0, -0.0f, 0x1p-149f}, {0, -0.0, 0x1p-149}},
        {"cos", 3, {inf, -inf, nan}, {Nan, Nan, Nan}},
        {"cos", 3, {0, -0.0f, 0x1p-149f}, {1, 1, 1}},
        {"rsqrt", 3, {inf, -inf, nan}, {0, Nan, Nan}},
        {"rsqrt", 3, {0, -0.0f, -0x1p-149f}, {Inf, -Inf, Nan}},
        {"rsqrt", 2, {0x1p-148f, 4}, {0x1p74, 0.5}},
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const struct special *s = &specials[i];
        const struct oracle *oracle = oracle_find(s->op);
        double y[8];
        struct oracle_row facts;
        oracle->row(s->x, s->n, &parameters_default, y, &facts);
        size_t count = oracle->elementwise ? s->n : oracle->columns;
        assert_false(facts.beyond);
        for (size_t k = 0; k < count; k++)
            if (!((y[k] == s->y[k] && !signbit(y[k]) == !signbit(s->y[k])) ||
                  (isnan(y[k]) && isnan(s->y[k]))))
                fail_msg("%s, special %zu: value %zu is %g, want %g", s->op, i, k, y[k], s->y[k]);
    }
}

/* One special value among ordinary ones, at every place: in every lane, and in the tail. */
TEST(test_specials_anywhere)
{
    float x[19];
    double y[21];
    struct oracle_row facts;
    for (size_t n = 1; n <= 19; n++)
        for (size_t at = 0; at < n; at++) {
            inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, 9, n, n, x);
            x[at] = NAN;
            static const char *const ops[] = {"softmax", "logsumexp", "moments", "layernorm",
                                              "rmsnorm"};
            for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
                oracle_find(ops[o])->row(x, n, &parameters_default, y, &facts);
                assert_true(isnan(y[0]));
            }
            x[at] = INFINITY;
            oracle_find("logsumexp")->row(x, n, &parameters_default, y, &facts);
            assert_true(y[0] == INFINITY);
            x[at] = -INFINITY;
            oracle_find("softmax")->row(x, n, &parameters_default, y, &facts);
            assert_true(n == 1 ? isnan(y[0]) : y[at] == 0);
        }
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* FNV-1a hashes of the rows of every family. If one changes, the inputs have changed, and figures
 * cannot be compared with those of earlier folders: raise the version of the accuracy grid. */
TEST(test_inputs_are_frozen)
{
    float x[1000];
    uint64_t hash = 0xcbf29ce484222325u;
    for (enum family f = 0; f < FAMILY_COUNT; f++) {
        if (f == FAMILY_SPECIAL) assert_int_equal(hash, 0xabcefcf08470b79a);
        for (enum domain d = 0; d <= DOMAIN_POSITIVE; d++)
            for (uint64_t row = 0; row < 4; row++) {
                inputs_row(f, d, 1, row, 1000 - row, x);
                for (size_t i = 0; i < 1000 - row; i++) {
                    uint32_t bits;
                    memcpy(&bits, &x[i], sizeof bits);
                    hash = (hash ^ bits) * 0x100000001b3u;
                }
            }
    }
    assert_int_equal(hash, 0x4471dc64649d8f39);
}

/* Rows that are masked after a place, before one, and at scattered places, none of them entirely.
 */
TEST(test_masked_rows)
{
    float x[64];
    for (size_t n = 1; n <= 64; n++)
        for (uint64_t row = 0; row < 30; row++) {
            inputs_row(FAMILY_MASKED, DOMAIN_EXPONENT, 1, row, n, x);
            size_t hidden = 0, changes = 0;
            for (size_t i = 0; i < n; i++) {
                hidden += x[i] == -INFINITY;
                changes += i && (x[i] == -INFINITY) != (x[i - 1] == -INFINITY);
            }
            assert_in_range(hidden, 0, n - 1);
            if (row % 3 == 0) assert_true(x[0] > -INFINITY && changes <= 1);
            if (row % 3 == 1) assert_true(x[n - 1] > -INFINITY && changes <= 1);
            if (row % 3 == 2 && n == 64) assert_in_range(hidden, 8, 56);
        }
}

TEST(test_inputs_depend_on_their_key_alone)
{
    float a[100], b[100], c[37];
    for (enum family f = 0; f < FAMILY_COUNT; f++) {
        inputs_row(f, DOMAIN_EXPONENT, 1, 5, 100, a);
        inputs_row(f, DOMAIN_EXPONENT, 1, 5, 100, b);
        assert_memory_equal(a, b, sizeof a);
        inputs_row(f, DOMAIN_EXPONENT, 1, 6, 100, b);
        assert_memory_not_equal(a, b, sizeof a);
        if (f != FAMILY_ALTERNATING) {
            inputs_row(f, DOMAIN_EXPONENT, 2, 5, 100, b);
            assert_memory_not_equal(a, b, sizeof a);
        }
        inputs_row(f, DOMAIN_EXPONENT, 1, 5, 37, c);
        bool of_the_whole_row = f == FAMILY_ONEHOT || f == FAMILY_TINY || f >= FAMILY_SORTED;
        if (!of_the_whole_row) assert_memory_equal(a, c, sizeof c);
        assert_int_equal(family_find(family_name(f)), f);
    }
    assert_int_equal(family_find("nonesuch"), FAMILY_COUNT);
}

TEST(test_inputs_are_what_they_say)
{
    enum { N = 100000 };
    float *x = malloc(N * sizeof *x);
    assert_non_null(x);
    static const struct {
        enum family family;
        double mean, deviation;
    } expected[] = {{FAMILY_NORMAL, 0, 1},
                    {FAMILY_LOGITS, 0, 10},
                    {FAMILY_OFFSET, 1e4, 1},
                    {FAMILY_UNIFORM, 0, 0.57735},
                    {FAMILY_SORTED, 0, 1}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        double y[2];
        struct oracle_row facts;
        inputs_row(expected[k].family, DOMAIN_MOMENTS, 11, 0, N, x);
        oracle_find("moments")->row(x, N, &parameters_default, y, &facts);
        double sd = expected[k].deviation;
        assert_true(fabs(y[0] - expected[k].mean) < 4 * sd / sqrt(N));
        assert_true(fabs(sqrt(y[1]) / sd - 1) < 4 / sqrt(2.0 * N));
    }
    for (size_t i = 1; i < N; i++) assert_true(x[i - 1] <= x[i]); /* sorted */
    inputs_row(FAMILY_TINY, DOMAIN_EXPONENT, 1, 0, N, x);
    size_t zeros = 0;
    for (size_t i = 0; i < N; i++) {
        zeros += x[i] == 0;
        assert_true(x[i] == 0 || (x[i] >= -104 && x[i] <= -87));
    }
    assert_int_equal(zeros, 1);
    inputs_row(FAMILY_WIDE, DOMAIN_EXPONENT, 1, 0, N, x);
    int lowest = 200, highest = -200;
    for (size_t i = 0; i < N; i++) {
        int e = ilogbf(x[i]);
        lowest = e < lowest ? e : lowest;
        highest = e > highest ? e : highest;
    }
    assert_true(lowest == -126 && highest == 127);
    free(x);
}

/* Families at the ends of the range: all elements far below zero; one that dwarfs the others, whose
 * square is finite; sums of squares that are not, of rows that layernorm and rmsnorm normalise. */
TEST(test_far_families)
{
    enum { N = 64, ROWS = 60 };
    float x[N];
    double y[N + 2];
    struct oracle_row facts;
    size_t far = 0, beyond = 0;
    for (uint64_t row = 0; row < ROWS; row++) {
        inputs_row(FAMILY_BELOW, DOMAIN_EXPONENT, 1, row, N, x);
        for (size_t i = 0; i < N; i++) assert_true(x[i] < -57);
        far += x[0] < -1e6f;
        inputs_row(FAMILY_OUTLIER, DOMAIN_MOMENTS, 1, row, N, x);
        oracle_find("rmsnorm")->row(x, N, &parameters_default, y, &facts);
        assert_false(oracle_overflows(&facts));
        inputs_row(FAMILY_HUGE, DOMAIN_MOMENTS, 1, row, N, x);
        float sum = 0;
        for (size_t i = 0; i < N; i++) sum += x[i];
        beyond += isinf(sum);
        static const char *const ops[] = {"moments", "layernorm", "rmsnorm"};
        for (size_t k = 0; k < 3; k++) {
            oracle_find(ops[k])->row(x, N, &parameters_default, y, &facts);
            assert_true(oracle_overflows(&facts));
            for (size_t i = 0; i < N && k; i++) assert_true(fabs(y[i]) <= 8);
        }
    }
    assert_in_range(far, 5, ROWS - 5);
    assert_int_equal(beyond, ROWS / 3);
    inputs_row(FAMILY_SPECIAL, DOMAIN_MOMENTS, 1, 1, N, x); /* infinities, which promises cover */
    oracle_find("rmsnorm")->row(x, N, &parameters_default, y, &facts);
    assert_false(oracle_overflows(&facts));
}

/* The fp64 functions of a scan: 4 and 8 lanes give the same bits, which agree with MPFR to 2^-21
 * ulp on inputs of every binade. */
TEST(test_unary_rows)
{
    static const struct {
        const char *op;
        size_t row; /* offset in struct unary_rows */
    } functions[] = {{"exp", offsetof(struct unary_rows, exp)},
                     {"log", offsetof(struct unary_rows, log)},
                     {"log2", offsetof(struct unary_rows, log2)},
                     {"sigmoid", offsetof(struct unary_rows, sigmoid)}};
    enum { N = 1021, BLOCKS = 48 }; /* prime, so that the last vector is partial */
    struct exact *m = exact_new(N, EXACT_BITS);
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const struct certified *c = certified;
        while (strcmp(c->op, functions[f].op) != 0) c++;
        for (uint32_t block = 0; block < BLOCKS; block++) {
            float x[N];
            double narrow[N], broad[N];
            for (uint32_t i = 0; i < N; i++) {
                uint32_t bits = (block * N + i) * 87661u + block * 40503u;
                memcpy(&x[i], &bits, sizeof bits);
            }
            unary_row *row;
            memcpy(&row, (const char *)&unary_rows_avx2 + functions[f].row, sizeof row);
            row(x, N, narrow);
            memcpy(&row, (const char *)&unary_rows_avx512 + functions[f].row, sizeof row);
            if (wide) row(x, N, broad);
            for (size_t i = 0; wide && i < N; i++)
                if (!isnan(x[i])) assert_memory_equal(&narrow[i], &broad[i], sizeof *narrow);
            struct verdict v = exact_examine(c, m, x, N, &parameters_default);
            assert_false(v.beyond);
            if (!(v.worst < 0x1p-21))
                fail_msg("%s(%a) is %a, off by %g ulp", c->op, (double)x[v.at], v.got, v.worst);
        }
    }
    exact_free(m);
}
