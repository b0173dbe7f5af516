// SPDX-License-Identifier: MIT
/* The oracle of double against MPFR: its error is below 2^-40 ulp, where terms cancel below 2^-10,
 * or the row is marked `beyond`; special values; and the error measure in double. */
#include <float.h>

#include "exact.h"
#include "test.h"
#include "oracle/f64_ulp.h"

enum { N_MAX = 1000 };

/* Returns whether the row is not beyond the oracle; then it is certified. */
static bool certify(const struct certified *c, struct exact *m, const double *x, size_t n,
                    const struct f64_parameters *p, enum exact_kind kind)
{
    struct verdict v = exact_examine_f64(c, m, x, n, p);
    if (!(v.worst < exact_promise_f64(c->op)))
        fail_msg("%s, rows of kind %d, n = %zu: value %zu is %a, off by %g ulp", c->op, (int)kind,
                 n, v.at, v.got, v.worst);
    return !v.beyond;
}

TEST(test_rows)
{
    static const size_t sizes[] = {1, 2, 3, 7, 64, N_MAX};
    double x[N_MAX], gamma[N_MAX], beta[N_MAX];
    size_t rows = 0, beyond = 0;
    exact_row_f64(EXACT_ORDINARY, 77, N_MAX, gamma);
    exact_row_f64(EXACT_SPREAD, 78, N_MAX, beta);
    for (size_t c = 0; certified[c].op; c++) {
        if (!f64_oracle_find(certified[c].op)) continue;
        const struct oracle *shape = oracle_find(certified[c].op);
        struct exact *m = exact_new(N_MAX, exact_bits_f64(shape));
        for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (uint64_t row = 0; row < (sizes[s] < 100 ? 6 : 1); row++) {
                    struct f64_parameters p = f64_parameters_default;
                    exact_row_f64(kind, 1000 * c + 100 * kind + 10 * s + row, sizes[s], x);
                    if (row % 2 && oracle_is_affine(shape)) p.gamma = gamma;
                    if (row % 2 && oracle_has_beta(shape)) p.beta = beta;
                    if (row % 3 == 2) p.eps = 1e-300;
                    if (row % 3 == 2 && shape->elementwise) p.scale = 0.1;
                    beyond += !certify(&certified[c], m, x, sizes[s], &p, kind);
                    rows++;
                }
        exact_free(m);
    }
    assert_true(rows > 4000);
    assert_true(beyond < rows / 20);
}

/* Rows whose logsumexp is 2^-k: certified, or marked from some k on. */
TEST(test_logsumexp_near_zero)
{
    const struct certified *c = exact_find("logsumexp");
    struct exact *m = exact_new(8, EXACT_BITS);
    size_t known = 0, beyond = 0;
    for (int k = 0; k < 52; k++) {
        double x[8] = {-2, -3, -1.5, -2.25, -4, -3.5, -2, 0};
        struct f64_value y;
        struct oracle_row facts;
        f64_oracle_find(c->op)->row(x, 7, &f64_parameters_default, &y, &facts);
        for (size_t i = 0; i < 7; i++) x[i] -= y.hi - ldexp(1, -k);
        if (certify(c, m, x, 7, &f64_parameters_default, EXACT_KINDS))
            known++;
        else
            beyond++;
    }
    assert_true(known > 30);
    assert_true(beyond > 0);
    exact_free(m);
}

struct special {
    const char *op;
    size_t n;
    double x[3], y[3];
};

TEST(test_specials)
{
    const double inf = INFINITY, nan = NAN, least = DBL_TRUE_MIN;
    const struct special specials[] = {
        {"softmax", 2, {nan, 0}, {nan, nan}},
        {"softmax", 2, {inf, 0}, {nan, nan}},
        {"softmax", 3, {-inf, 0, -inf}, {0, 1, 0}},
        {"softmax", 2, {DBL_MAX, -DBL_MAX}, {1, 0}},
        {"log_softmax", 2, {DBL_MAX, -DBL_MAX}, {0, -inf}},
        {"log_softmax", 2, {-inf, 3}, {-inf, 0}},
        {"logsumexp", 0, {0}, {-inf}},
        {"logsumexp", 2, {inf, -inf}, {inf}},
        {"logsumexp", 3, {inf, 1, nan}, {nan}},
        {"logsumexp", 1, {-least}, {-least}},
        {"moments", 0, {0}, {nan, nan}},
        {"moments", 1, {7}, {7, 0}},
        {"moments", 2, {inf, 1}, {inf, nan}},
        {"moments", 2, {inf, -inf}, {nan, nan}},
        {"moments", 3, {DBL_MAX, DBL_MAX, DBL_MAX}, {DBL_MAX, 0}},
        {"moments", 2, {DBL_MAX, -DBL_MAX}, {0, inf}},
        {"layernorm", 2, {nan, 1}, {nan, nan}},
        {"layernorm", 2, {4, 4}, {0, 0}},
        {"rmsnorm", 2, {nan, 1}, {nan, nan}},
        {"rmsnorm", 3, {-inf, 1, 0}, {nan, 0, 0}},
        {"rmsnorm", 2, {DBL_MAX, -DBL_MAX}, {1, -1}},
        {"rmsnorm", 3, {-0.0, 1e300, 0}, {-0.0, 0x1.bb67ae8584caap0, 0}},
        {"exp", 3, {inf, -inf, nan}, {inf, 0, nan}},
        {"exp", 3, {710, -746, -0.0}, {inf, 0, 1}},
        {"exp2", 3, {inf, -inf, nan}, {inf, 0, nan}},
        {"exp2", 3, {-1074, 1024, 1023}, {least, inf, 0x1p1023}},
        {"expm1", 3, {inf, -inf, nan}, {inf, -1, nan}},
        {"expm1", 3, {0, -0.0, least}, {0, -0.0, least}},
        {"log", 3, {inf, -1, nan}, {inf, nan, nan}},
        {"log", 3, {0, -0.0, 1}, {-inf, -inf, 0}},
        {"log2", 3, {0, -0.0, least}, {-inf, -inf, -1074}},
        {"log2", 3, {inf, -least, 0x1p1023}, {inf, nan, 1023}},
        {"log1p", 3, {inf, -1, nan}, {inf, -inf, nan}},
        {"log1p", 3, {0, -0.0, -0x1.0000000000001p0}, {0, -0.0, nan}},
        {"tanh", 3, {inf, -inf, nan}, {1, -1, nan}},
        {"tanh", 3, {0, -0.0, -least}, {0, -0.0, -least}},
        {"erf", 3, {inf, -inf, nan}, {1, -1, nan}},
        {"erf", 3, {0, -0.0, 8}, {0, -0.0, 1}},
        {"sin", 3, {inf, -inf, nan}, {nan, nan, nan}},
        {"sin", 3, {0, -0.0, -least}, {0, -0.0, -least}},
        {"cos", 3, {inf, -inf, nan}, {nan, nan, nan}},
        {"cos", 3, {0, -0.0, least}, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const struct special *s = &specials[i];
        const struct oracle *shape = oracle_find(s->op);
        struct f64_value y[8];
        struct oracle_row facts;
        f64_oracle_find(s->op)->row(s->x, s->n, &f64_parameters_default, y, &facts);
        size_t count = shape->elementwise ? s->n : shape->columns;
        assert_false(facts.beyond);
        for (size_t k = 0; k < count; k++)
            if (!((y[k].hi == s->y[k] && !signbit(y[k].hi) == !signbit(s->y[k])) ||
                  (isnan(y[k].hi) && isnan(s->y[k]))))
                fail_msg("%s, special %zu: value %zu is %g, want %g", s->op, i, k, y[k].hi,
                         s->y[k]);
    }
}

/* ---- The error measure ----------------------------------------------------------------------- */

static struct ulp_stats measured(double got, struct f64_value want)
{
    struct ulp_stats s;
    ulp_begin(&s);
    f64_ulp_measure(&got, &want, 1, 5, &s, NULL);
    return s;
}

TEST(test_errors)
{
    const double least = DBL_TRUE_MIN, inf = INFINITY;
    /* E of results that have one. */
    const struct {
        double got, hi, lo, error;
    } known[] = {
        {1, 1, 0, 0},
        {1, 1, 0x1p-2, 0.25},
        {0x1.0000000000001p0, 1, 0x1p-2, 0.75},
        {1, 1, -0x1p-3, 0.25},                    /* below 1 the unit is half as large */
        {0x1.fffffffffffffp-1, 1, -0x1p-3, 0.75}, /* */
        {-1, 1, 0, 0x1p53},                       /* another sign */
        {0, 1, 0, 0x1p52},                        /* a zero */
        {3 * least, 2 * least, 0x1p-1024, 0.75},  /* subnormal: y = 2.25 units */
        {DBL_MAX, inf, 0x1p972, 0.5},             /* y = 2^1024: its unit is 2^972 */
        {DBL_MAX, DBL_MAX, 0x1p1020, 0.125},
        {0, 0, 0, 0},
        {least, 0, 0x1p-1024, 0.75},     /* y = 2^-1076 */
        {DBL_MAX, DBL_MIN, 0, 0x1p1000}, /* bounded */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct f64_value y = {known[i].hi, known[i].lo};
        double error = f64_ulp_error(known[i].got, y);
        struct ulp_stats s = measured(known[i].got, y);
        if (fabs(error - known[i].error) > 1e-9 * error)
            fail_msg("case %zu: E is %g, not %g", i, error, known[i].error);
        assert_true(s.max == error && s.max_at == 5);
        assert_int_equal(s.measured, 1);
    }
}

TEST(test_counts)
{
    const double inf = INFINITY, nan = NAN, least = DBL_TRUE_MIN;
    const struct {
        double got, hi, lo;
        uint64_t lost, flushed, nan, inf, sign, zero, measured;
    } known[] = {
        {nan, nan, nan, 0, 0, 0, 0, 0, 0, 0},
        {nan, 1, 0, 1, 0, 1, 0, 0, 0, 0},
        {1, nan, nan, 1, 0, 1, 0, 0, 0, 0},
        {inf, inf, inf, 0, 0, 0, 0, 0, 0, 0},
        {inf, inf, 0x1p980, 0, 0, 0, 0, 0, 0, 0},
        {-inf, inf, inf, 1, 0, 0, 0, 1, 0, 0},
        {inf, 1, 0, 1, 0, 0, 1, 0, 0, 0},
        {1, inf, inf, 1, 0, 0, 1, 0, 0, 0},
        {1, inf, 0x1p980, 0, 0, 0, 1, 0, 0, 1},
        {0, 4 * least, 0, 0, 1, 0, 0, 0, 0, 0},
        {0, least, -0x1p-1024, 0, 0, 0, 0, 0, 0, 1},
        {0, 1, 0, 0, 0, 0, 0, 0, 1, 1},
        {-1, 1, 0, 0, 0, 0, 0, 1, 0, 1},
        {-0.0, 0, 0, 0, 0, 0, 0, 1, 0, 1},
        {-0.0, 1, 0, 0, 0, 0, 0, 0, 1, 1},
        {-least, 0, 0x1p-1024, 0, 0, 0, 0, 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ulp_stats s = measured(known[i].got, (struct f64_value){known[i].hi, known[i].lo});
        const uint64_t got[] = {s.lost, s.flushed, s.nan, s.inf, s.sign, s.zero, s.measured};
        if (memcmp(got, &known[i].lost, sizeof got) != 0)
            fail_msg("case %zu is counted otherwise", i);
        if (s.lost) assert_int_equal(s.lost_at, 5);
    }
}

/* On values that are exact in fp32 and far inside its range both measures agree, scaled by what the
 * units differ in. */
TEST(test_scaled_error)
{
    const double got[] = {1 + 0x1p-50, 3}, nan[] = {NAN};
    const struct f64_value want[] = {{1, 0}, {3, 0}}, tiny[] = {{0x1p-1000, 0}};
    const double near[] = {0x1.00000001p-1000};
    assert_true(f64_ulp_scaled_error(got, want, 2, 0) == 8);
    assert_true(f64_ulp_scaled_error(got, want, 2, 4) == 2);
    assert_true(f64_ulp_scaled_error(near, tiny, 1, 0) == 0x1p21);
    assert_true(isinf(f64_ulp_scaled_error(nan, want, 1, 0)));
}
