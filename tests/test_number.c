// SPDX-License-Identifier: MIT
/* Numbers for people: a printed number of any size reads back within half a unit of its last digit,
 * and an error stays on its side of a limit. */
#include "base/number.h"

#include "test.h"

/* Sizes from the smallest double over the smallest subnormal and the largest float to the largest
 * doubles. */
static const double sizes[] = {0x1p-1074, 1e-300,  0x1p-149, 1.17e-38, 1e-9,  0.00049, 0.000501,
                               0.1,       0.49999, 1,        9.9999,   12345, 1e5,     22397585.68,
                               999999999, 1e9,     1.276e38, 3.4e38,   3e39,  1e300,   1e307};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void assert_near(const char *text, double value, double tolerance)
{
    char *end;
    double back = strtod(text, &end);
    assert_int_equal(*end, '\0');
    assert_true(strlen(text) < sizeof(struct number_text) - 1);
    if (!(fabs(back - value) <= tolerance)) fail_msg("%s is %.17g", text, value);
}

TEST(no_number_is_cut)
{
    for (size_t i = 0; i < 2 * SIZES; i++) {
        double value = i % 2 ? -sizes[i / 2] : sizes[i / 2];
        for (int d = 0; d <= 9; d++) {
            double size = fabs(value), unit = pow(10, -d);
            bool plain = size >= unit && size < 1e9;
            assert_near(number_decimals(value, d).text, value,
                        fmax(0x1p-1074, plain      ? 0.5001 * unit
                                        : size < 1 ? 0.0501 * size
                                                   : 0.00501 * size));
        }
        for (int d = 1; d <= 17; d++)
            assert_near(number_digits(value, d).text, value,
                        fmax(0x1p-1074, 5.001 * pow(10, -d) * fabs(value)));
    }
}

TEST(what_is_no_number)
{
    assert_string_equal(number_decimals(NAN, 3).text, "-");
    assert_string_equal(number_digits(NAN, 3).text, "-");
    assert_string_equal(number_error(NAN, 1).text, "-");
    assert_string_equal(number_decimals(INFINITY, 3).text, "inf");
    assert_string_equal(number_error(INFINITY, 1).text, "inf");
    assert_string_equal(number_decimals(0, 3).text, "0.000");
    assert_string_equal(number_error(0, NAN).text, "0");
}

TEST(known_texts)
{
    assert_string_equal(number_marked(number_decimals(1.00000002, 3), 1.00000002, NAN).text,
                        ">1.000");
    assert_string_equal(number_marked(number_decimals(1, 3), 1, NAN).text, "1.000");
    assert_string_equal(number_error(0.50001, NAN).text, ">0.5");
    assert_string_equal(number_error(0.49999, NAN).text, "<0.5");
    assert_string_equal(number_error(0.502, NAN).text, "0.502");
    assert_string_equal(number_error(3.4996, 3.4999).text, "<3.5");
    assert_string_equal(number_error(3.5001, 3.5).text, ">3.5");
    assert_string_equal(number_error(3.5001, NAN).text, "3.5");
    assert_string_equal(number_decimals(1276058875953519237987654777869.0 * 1e8, 6).text,
                        "1.28e+38");
    assert_string_equal(number_decimals(0.0004, 3).text, "0.0004");
    assert_string_equal(number_count(0).text, "0");
    assert_string_equal(number_count(999).text, "999");
    assert_string_equal(number_count(1000).text, "1,000");
    assert_string_equal(number_count(1020169705).text, "1,020,169,705");
    assert_string_equal(number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

/* Fails if a reader of the text would take `value` to be on the other side of the limit `line`, or
 * on it. */
static void assert_side(const char *text, double value, double line)
{
    char mark = *text == '<' || *text == '>' ? *text : 0;
    double shown = strtod(text + (mark != 0), NULL);
    if (value > line) assert_true(mark == '>' || shown > line);
    if (value < line) assert_true(mark == '<' || shown < line);
    if (mark == '>') assert_true(value > shown);
    if (mark == '<') assert_true(value < shown);
    if (value == line) assert_true(!mark && shown == line);
}

/* Values around each limit, at relative distances from one unit in the last place of a double to a
 * tenth. */
TEST(no_error_crosses_a_line)
{
    static const double promises[] = {0.502, 0.75, 2, 3.5, 4.9e6};
    for (size_t p = 0; p < sizeof promises / sizeof *promises; p++) {
        const double lines[] = {0.5, 1, promises[p]};
        for (size_t l = 0; l < 3; l++)
            for (int k = -52; k <= -4; k++)
                for (int side = -1; side <= 1; side++) {
                    double value = lines[l] * (1 + side * ldexp(1, k));
                    struct number_text text[2] = {
                        number_error(value, promises[p]),
                        number_marked(number_decimals(value, 3), value, promises[p])};
                    for (size_t t = 0; t < 2; t++) assert_side(text[t].text, value, lines[l]);
                }
    }
}
