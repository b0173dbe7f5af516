// SPDX-License-Identifier: MIT
/* Exact values on rows of consecutive floats: their difference from the oracle's values and from
 * MPFR's, in every binade, is below the oracle's own error. */
#include "exact.h"
#include "test.h"
#include "oracle/consecutive.h"
#include "oracle/ulp.h"

enum { ROW = CONSECUTIVE_ROW, TILE = CONSECUTIVE_TILE, BINADES = 512, BINADE = 1 << 23 };
static const struct {
    const char *op;
    double limit;   /* largest difference in fp32 ulp, as consecutive.h promises */
    size_t unknown; /* rows below that are unknown, next to a pole */
} functions[] = {{"exp", 0x1p-26, 0},      {"expkappa", 0x1p-26, 0}, {"log", 0x1p-26, 0},
                 {"log2", 0x1p-26, 0},     {"sigmoid", 0x1p-26, 0},  {"gelu", 0x1p-21, 0},
                 {"exp2", 0x1p-26, 0},     {"expm1", 0x1p-26, 0},    {"log1p", 0x1p-26, 2},
                 {"tanh", 0x1p-26, 0},     {"erf", 0x1p-26, 0},      {"silu", 0x1p-26, 0},
                 {"softplus", 0x1p-26, 0}, {"sin", 0x1p-15, 0},      {"cos", 0x1p-15, 0},
                 {"rsqrt", 0x1p-26, 0}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Returns a row of the binade: the first, the last (a logarithm's zero and the ends of gelu's and
 * exp's ranges are next to these), or one in between. */
static uint32_t row_of(uint32_t binade, uint32_t which)
{
    uint32_t last = BINADE / ROW - 1, between = binade * 977 % last;
    return binade * BINADE + ROW * (which == 0 ? 0 : which == 1 ? last : between);
}

static bool is_out_of_range(double y)
{
    return !(fabs(y) < 0x1.ffffffp127);
}

/* The distance in fp32 ulp; 0 if both are NaN, or beyond fp32's range with equal sign. */
static double distance(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INFINITY;
    if (is_out_of_range(a) && is_out_of_range(b)) return signbit(a) == signbit(b) ? 0 : INFINITY;
    if (a == 0 && b == 0) return signbit(a) == signbit(b) ? 0 : INFINITY;
    int exponent = b == 0 ? -126 : ilogb(b);
    return ldexp(fabs(a - b), 23 - (exponent < -126 ? -126 : exponent));
}

TEST(test_ranks)
{
    assert_int_equal(float_rank(-0.0f) + 1, float_rank(0.0f));
    assert_int_equal(float_rank(1) + 1, float_rank(nextafterf(1, 2)));
    assert_int_equal(float_rank(-1) + 1, float_rank(nextafterf(-1, 2)));
    for (uint32_t binade = 0; binade < BINADES; binade++) {
        float x[ROW];
        uint32_t row = row_of(binade, 2);
        consecutive_inputs(row, x);
        for (uint32_t i = 0; i < ROW; i++) {
            float one = float_of_rank(row + i);
            assert_memory_equal(&x[i], &one, sizeof one);
            assert_int_equal(float_rank(one), row + i);
        }
    }
}

TEST(test_against_the_oracle)
{
    for (size_t f = 0; f < FUNCTIONS; f++) {
        const struct oracle *oracle = oracle_find(functions[f].op);
        size_t known = 0;
        for (uint32_t k = 0; k < 3 * BINADES; k++) {
            uint32_t row = row_of(k / 3, k % 3);
            struct consecutive r;
            struct oracle_row facts;
            float x[ROW];
            double y[ROW], want[ROW];
            consecutive_expand(oracle, row, &r);
            if (!r.known) continue;
            known++;
            consecutive_inputs(row, x);
            consecutive_values(&r, y);
            oracle->row(x, ROW, &parameters_default, want, &facts);
            for (size_t i = 0; i < ROW; i++)
                if (!(distance(y[i], want[i]) < functions[f].limit))
                    fail_msg("%s(%a) is %a, and %a on its own", functions[f].op, (double)x[i], y[i],
                             want[i]);
        }
        /* Rows of subnormal numbers, infinities and NaNs are unknown. */
        assert_int_equal(known, 3 * (BINADES - 4) - functions[f].unknown);
    }
}

/* Compares the first, middle and last element of each tile, which are farthest from their anchors.
 */
TEST(test_against_mpfr)
{
    enum { N = 3 * CONSECUTIVE_TILES };
    struct exact *m = exact_new(N, EXACT_BITS);
    for (size_t f = 0; f < FUNCTIONS; f++) {
        const struct certified *c = exact_find(functions[f].op);
        for (uint32_t k = 0; k < 3 * BINADES; k++) {
            uint32_t row = row_of(k / 3, k % 3);
            struct consecutive r;
            float x[ROW], some_x[N];
            double y[ROW], some_y[N];
            consecutive_expand(oracle_find(functions[f].op), row, &r);
            if (!r.known) continue;
            consecutive_inputs(row, x);
            consecutive_values(&r, y);
            for (size_t i = 0; i < N; i++) {
                size_t at = i / 3 * TILE + (i % 3 == 0 ? 0 : i % 3 == 1 ? TILE / 2 : TILE - 1);
                some_x[i] = x[at];
                some_y[i] = y[at];
            }
            struct verdict v = exact_judge(c, m, some_x, N, &parameters_default, some_y);
            if (!(v.worst < functions[f].limit))
                fail_msg("%s(%a) is %a, off by %g ulp", functions[f].op, (double)some_x[v.at],
                         v.got, v.worst);
        }
    }
    exact_free(m);
}

/* The polynomials have equal bits with 4 lanes and with 8. */
TEST(test_polynomials_are_the_same_bits)
{
    static const double c[UNARY_TERMS] = {1.1, -0.3, 0x1p-9, 0x1.23456789abcp-14, -0x1p-22};
    double narrow[TILE], wide[TILE];
    unary_rows_avx2.polynomial(c, -TILE, TILE, narrow);
    double place = 5 - TILE, sum = c[UNARY_TERMS - 1];
    for (int d = UNARY_TERMS - 2; d >= 0; d--) sum = fma(sum, place, c[d]);
    assert_memory_equal(&narrow[5], &sum, sizeof sum);
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) return;
    unary_rows_avx512.polynomial(c, -TILE, TILE, wide);
    assert_memory_equal(narrow, wide, sizeof wide);
}
