/* Numbers as tables and sentences print them: never cut, whatever their size, and an error never on
 * the wrong side of a line that people draw. NaN is "-", an infinity "inf". */
#ifndef ULPLAB_NUMBER_H
#define ULPLAB_NUMBER_H

#include <stdint.h>

struct number_text {
    char text[32];
};

/* `decimals` digits behind the point (at most 9). A number that would be 0 then has two digits
 * that are not 0, and one that is too long has an exponent. */
struct number_text number_decimals(double value, int decimals);
/* `digits` digits that count (at most 17), with an exponent where it is shorter. */
struct number_text number_digits(double value, int digits);

/* A count, its digits in groups of three: 1,020,169,705. */
struct number_text number_count(uint64_t value);

/* `text`, which stands for the error `value`, behind ">" or "<" where rounding has moved it onto or
 * across 0.5, 1 or `promise` (NaN: there is none): 1.00000002 is ">1.000". */
struct number_text number_marked(struct number_text text, double value, double promise);
/* An error in three digits, marked. */
struct number_text number_error(double value, double promise);

#endif
