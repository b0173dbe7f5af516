// SPDX-License-Identifier: MIT
/* Numbers as tables and sentences print them: never truncated, and an error never on the wrong side
 * of a limit that people compare it with. NaN is "-", an infinity "inf". */
#ifndef ULPLAB_NUMBER_H
#define ULPLAB_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct number_text {
    char text[32];
};

/* Prints `decimals` digits behind the point (at most 9). A number that would become 0 gets two
 * digits that are not 0 instead, and one that is too long an exponent. */
struct number_text number_decimals(double value, int decimals);
/* Prints `digits` significant digits (at most 17), with an exponent where that is shorter. */
struct number_text number_digits(double value, int digits);

/* Prints a count with its digits in groups of three: 1,020,169,705. */
struct number_text number_count(uint64_t value);

/* Prefixes `text`, which stands for the error `value`, by ">" or "<" where rounding has moved it
 * onto or across 0.5, 1 or `promise` (NaN: there is none): 1.00000002 is ">1.000". */
struct number_text number_marked(struct number_text text, double value, double promise);
/* Prints an error in three digits, marked. */
struct number_text number_error(double value, double promise);

/* Parses an interval as given on a command line, "LO,HI": two numbers like strtof(), hexadecimal
 * ones and infinities included. Returns false for any other text. */
bool interval_parse(const char *text, float *low, float *high);

#endif
