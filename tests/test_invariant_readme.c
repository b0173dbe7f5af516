// SPDX-License-Identifier: MIT
/* Recomputes the example row of simd/invariant/README.md: each line with a figure must be in the
 * page as it is printed here, and the sums must be the reference's. */
#include "../simd/invariant/reference.h"

#include "drive.h"

enum { N = 40 };
static const size_t shown_lanes[] = {0, 1, 7, 8, 15};
enum { SHOWN = sizeof shown_lanes / sizeof *shown_lanes };

static void fill_row(float *x)
{
    for (int i = 0; i < N; i++) x[i] = (float)(i - 16) / 8.0f;
}

static void __attribute__((format(printf, 1, 2))) assert_line(const char *format, ...)
{
    char line[200] = "\n", *end = line + 1;
    va_list arguments;
    va_start(arguments, format);
    end += vsnprintf(end, sizeof line - 3, format, arguments);
    va_end(arguments);
    memcpy(end, "\n", 2);
    if (!strstr(drive_read("simd/invariant/README.md"), line))
        fail_msg("simd/invariant/README.md lacks this line:%s", line);
}

/* Adds lanes l and l + 8, then lanes 4, 2 and 1 apart. */
static double fold_doubles(const float lane[16])
{
    double w[8];
    for (size_t l = 0; l < 8; l++) w[l] = (double)lane[l] + (double)lane[l + 8];
    return ((w[0] + w[4]) + (w[2] + w[6])) + ((w[1] + w[5]) + (w[3] + w[7]));
}
static float fold_floats(const float lane[16])
{
    float s[8];
    for (size_t l = 0; l < 8; l++) s[l] = lane[l] + lane[l + 8];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

TEST(test_softmax)
{
    float x[N], e[N], y[N], lane[16];
    fill_row(x);
    struct exponentials s = exponentials_of(x[N - 1], false);
    for (size_t i = 0; i < N; i++) e[i] = exponential(&s, x[i]);
    for (size_t l = 0; l < 16; l++) lane[l] = e[l] + e[l + 16];
    for (size_t l = 0; l < 8; l++) lane[l] += e[l + 32];
    double unit = ldexp(1.0, -s.scale), total = fold_doubles(lane), factor = 1.0 / total;
    for (size_t k = 0; k < SHOWN; k++) {
        size_t l = shown_lanes[k];
        if (l < 8)
            assert_line("lane %2zu   (e[%zu] + e[%zu]) + e[%zu] = (%.7f + %.7f) + %.7f = %.7f", l,
                        l, l + 16, l + 32, e[l] * unit, e[l + 16] * unit, e[l + 32] * unit,
                        lane[l] * unit);
        else
            assert_line("lane %2zu   e[%zu] + e[%zu] = %.7f + %.7f = %.7f", l, l, l + 16,
                        e[l] * unit, e[l + 16] * unit, lane[l] * unit);
    }
    float high = (float)factor, low = (float)(factor - high);
    assert_line("total     %.16f", total * unit);
    assert_line("1/total   %a + %a", high / unit, low / unit);
    softmax_row(x, N, y);
    assert_line("y[39]     fma(e[39], high, e[39] * low) = %a", y[39]);
    assert_true(total == sum_exponentials(&s, x, N));
    for (size_t i = 0; i < N; i++) assert_true(y[i] == fmaf(e[i], high, e[i] * low));
}

TEST(test_moments)
{
    float x[N], sum[16], squares[16], y[2];
    fill_row(x);
    for (size_t l = 0; l < 16; l++) {
        float a = x[l], b = x[l + 16], c = l < 8 ? x[l + 32] : 0.0f;
        sum[l] = (a + b) + (c + 0.0f);
        squares[l] = (a * a + b * b) + (c * c + 0.0f);
    }
    for (size_t k = 0; k < SHOWN; k++) {
        size_t l = shown_lanes[k];
        double a = x[l], b = x[l + 16], c = l < 8 ? x[l + 32] : 0.0f;
        assert_line("lane %2zu   sum      (%g + %g) + (%g + 0) = %g", l, a, b, c, sum[l]);
        assert_line("          squares  (%.8g + %.8g) + (%.8g + 0) = %.8g", a * a, b * b, c * c,
                    squares[l]);
    }
    double row_sum = fold_floats(sum), row_squares = fold_floats(squares), part = row_sum / N;
    moments_row(x, N, y);
    assert_line("row       sum %.9g, squares %.9g", row_sum, row_squares);
    assert_line("mean      0 + sum / 40 = %.9g", y[0]);
    assert_line("variance  (squares - sum^2 / 40) / 40 = %.9g", y[1]);
    struct moment_sums sums = short_sums(x, N, 0.0f);
    assert_true(row_sum == sums.sum && row_squares == sums.squares);
    assert_true(y[0] == (float)part && y[1] == (float)((row_squares - row_sum * part) / N));
}
