// SPDX-License-Identifier: MIT
/* e^d in double and in double-double, and the logarithm, for rows_softmax.h. */
#ifndef ROWS_EXP_H
#define ROWS_EXP_H

#include "rows.h"

#define LOG2E 0x1.71547652b82fep+0
#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56
#define ROUNDER                                                                                    \
    0x1.8p52 /* a double of this size has the integer that is nearest in its lowest bits */

/* 1 / i!, high and low. */
static const double inverse_factorials[23][2] = {
    {1, 0},
    {1, 0},
    {0.5, 0},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
    {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {0x1.6124613a86d09p-33, 0},
    {0x1.93974a8c07c9dp-37, 0},
    {0x1.ae7f3e733b81fp-41, 0},
    {0x1.ae7f3e733b81fp-45, 0},
    {0x1.952c77030ad4ap-49, 0},
    {0x1.6827863b97d97p-53, 0},
    {0x1.2f49b46814157p-57, 0},
    {0x1.e542ba4020225p-62, 0},
    {0x1.71b8ef6dcf572p-66, 0},
    {0x1.0ce396db7f853p-70, 0},
};

/* (e^r - 1 - r) / r^2 for |r| <= 0.34658, interpolated at Chebyshev's points: e^r is off by less
 * than 2^-55.7 of itself, by the shorter one 2^-43.6. */
enum { EXP_TERMS = 10, EXP_SHORT_TERMS = 8 };
static const double exp_terms[EXP_TERMS] = {
    0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d67p-5,  0x1.11111111109b4p-7,
    0x1.6c16c1788a49bp-10, 0x1.a01a01a7c327ap-13, 0x1.a019b9133a48ap-16, 0x1.71de0db21e27fp-19,
    0x1.28917e2c43a66p-22, 0x1.af38a0d2d9620p-26,
};
static const double exp_short_terms[EXP_SHORT_TERMS] = {
    0x1.fffffffffe068p-2,  0x1.5555555554f97p-3,  0x1.55555565c5d19p-5,  0x1.111111170b00dp-7,
    0x1.6c166be5bb8e9p-10, 0x1.a019c370f2063p-13, 0x1.a136b31ea54a3p-16, 0x1.72ad3cda42d75p-19,
};

/* Returns e^d for d in [-708, 0], with an error of at most EXP_U u of it: 1 for the last addition,
 * 0.7 for the one before, 0.7 for both roundings of r, whose first has a result below 1/2, a
 * multiple of 2^-53 or exact; 0.2 for the polynomial, by the shorter one 676. */
enum { EXP_U = 3, EXP_SHORT_U = 700 };
ALWAYS_INLINE dr dr_exp(dr d, const double *terms, int count)
{
    dr z = dr_fma(d, dr_set1(LOG2E), dr_set1(ROUNDER)), k = dr_sub(z, dr_set1(ROUNDER));
    dr r = dr_fma(k, dr_set1(-LN2_LOW), dr_fma(k, dr_set1(-LN2_HIGH), d));
    dr q = dr_set1(terms[count - 1]);
    for (int i = count - 2; i >= 0; i--) q = dr_fma(q, r, dr_set1(terms[i]));
    q = dr_add(dr_fma(dr_mul(r, r), q, r), dr_set1(1.0));
    return dr_scaled(q, z);
}

/* Returns log(1 + t) for t >= 0, whose sum with 1 is `sum` rounded, with an error of at most LOG_U
 * u of it. 1 + t = 2^k m; log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172: 2 s (1 + s^2 / 3
 * + ..
 * + s^22 / 23) and a rest below 2^-63 of it. */
enum { LOG_U = 8 };
static double log_of_sum(double t, double sum)
{
    static const double inverse_odd[] = {1,        1.0 / 3,  1.0 / 5,  1.0 / 7,
                                         1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15,
                                         1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    double k = 0.0, m = sum, s;
    if (d_less(sum, 1.4)) {
        s = d_div(t, d_add(t, 2.0));
    } else {
        uint64_t bits = d_bits(sum) - d_bits(0.7);
        k = d_count((size_t)(bits >> 52));
        m = d_from_bits(d_bits(sum) - (bits >> 52 << 52));
        s = d_div(d_sub(m, 1.0), d_add(m, 1.0));
    }
    double square = d_mul(s, s), q = inverse_odd[11];
    for (int i = 10; i >= 1; i--) q = d_fma(q, square, inverse_odd[i]);
    double twice = d_add(s, s);
    double log_m = d_fma(d_mul(twice, square), q, twice);
    return d_fma(k, LN2_HIGH, d_fma(k, LN2_LOW, log_m));
}

/* ---- Double-double --------------------------------------------------------------------------- */

struct pair {
    dr high, low;
};
static inline struct pair pair_quick(dr a, dr b) /* |a| >= |b| */
{
    dr sum = dr_add(a, b);
    return (struct pair){sum, dr_sub(b, dr_sub(sum, a))};
}
static inline struct pair pair_of_sum(dr a, dr b)
{
    dr sum = dr_add(a, b), part = dr_sub(sum, a);
    return (struct pair){sum, dr_add(dr_sub(a, dr_sub(sum, part)), dr_sub(b, part))};
}
/* Error below 2^-103 of the result if both have one sign, and else of the magnitudes' sum. */
static inline struct pair pair_add(struct pair a, struct pair b)
{
    struct pair s = pair_of_sum(a.high, b.high), t = pair_of_sum(a.low, b.low);
    s = pair_quick(s.high, dr_add(s.low, t.high));
    return pair_quick(s.high, dr_add(s.low, t.low));
}
/* Error below 2^-102 of the result. */
static inline struct pair pair_multiply(struct pair a, struct pair b)
{
    dr product = dr_mul(a.high, b.high);
    dr error = dr_fma(a.high, b.high, dr_sub(dr_set1(0.0), product));
    error = dr_fma(a.high, b.low, dr_fma(a.low, b.high, error));
    return pair_quick(product, error);
}
static inline struct pair pair_set1(double high, double low)
{
    return (struct pair){keep_dr(dr_set1(high)), keep_dr(dr_set1(low))};
}

/* Returns e^d for d in [-300, 0], with an error of less than 2^-96 of it: each of 13 steps is off
 * by less than 2^-101 of a sum that is near 1 at the end, and counts |r| <= 0.35 of that in the
 * next; the terms from r^13 / 13! on are less than 2^-52, in double; those after r^22 less than
 * 2^-109. */
static struct pair pair_exp(struct pair d)
{
    dr z = dr_fma(d.high, dr_set1(LOG2E), dr_set1(ROUNDER)), k = dr_sub(z, dr_set1(ROUNDER));
    /* ln2 in three parts, two of 42 bits, whose products with k are exact. */
    struct pair r = pair_of_sum(d.high, dr_mul(k, dr_set1(-0x1.62e42fefa38p-1)));
    struct pair rest = pair_of_sum(dr_mul(k, dr_set1(-0x1.ef35793c76p-45)), d.low);
    rest.low = dr_fma(k, dr_set1(-0x1.cc01f97b57a08p-87), rest.low);
    r = pair_add(r, rest);
    dr q = dr_set1(inverse_factorials[22][0]);
    for (int i = 21; i >= 13; i--) q = dr_fma(q, r.high, dr_set1(inverse_factorials[i][0]));
    struct pair s = {q, dr_set1(0.0)};
    for (int i = 12; i >= 0; i--)
        s = pair_add(pair_multiply(s, r),
                     pair_set1(inverse_factorials[i][0], inverse_factorials[i][1]));
    dr power = dr_scaled(dr_set1(1.0), z);
    return (struct pair){dr_mul(s.high, power), dr_mul(s.low, power)};
}

#endif
