// SPDX-License-Identifier: MIT
/* Exact sums of doubles: an integer of 2500 bits, whose unit is 2^-256 times the smallest double,
 * so that it can be divided, in digits of 32 bits. */
#ifndef ULPLAB_F64_SUM_H
#define ULPLAB_F64_SUM_H

#include <stdint.h>

#include "oracle/f64_arithmetic.h"

enum { F64_DIGITS = 80, F64_PARTS = 4 };

/* Sums begin as {0}; at most 2^30 terms are added. */
struct f64_sum {
    int64_t digit[F64_DIGITS];
};

/* (part[0] + part[1] + ..) 2^e, each part at most half a unit in the last place of the one before:
 * 200 bits. */
struct f64_parts {
    double part[F64_PARTS];
    int e;
};

/* Adds a finite number. */
static inline void f64_sum_add(struct f64_sum *s, double x)
{
    enum { LOW_DIGITS = 8 };
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    unsigned exponent = bits >> 52 & 2047, shift = exponent ? exponent - 1 : 0;
    uint64_t mantissa = (bits & 0xfffffffffffff) | (uint64_t)(exponent != 0) << 52;
    unsigned __int128 shifted = (unsigned __int128)mantissa << shift % 32;
    int64_t *digit = s->digit + LOW_DIGITS + shift / 32, minus = -(int64_t)(bits >> 63);
    /* (a ^ -1) + 1 is -a. */
    digit[0] += ((int64_t)(shifted & 0xffffffff) ^ minus) - minus;
    digit[1] += ((int64_t)(shifted >> 32 & 0xffffffff) ^ minus) - minus;
    digit[2] += ((int64_t)(shifted >> 64) ^ minus) - minus;
}

/* Returns the sum divided by n; `s` is used up. n < 2^31. */
struct f64_parts f64_sum_over(struct f64_sum *s, uint64_t n);

/* Returns the sum of the parts, rounded to a double-double. */
struct f64_wide f64_parts_wide(const struct f64_parts *);

#endif
