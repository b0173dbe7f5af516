// SPDX-License-Identifier: MIT
/* e^x in double, for the functions that are composed of it:
 *
 *   e^x = 2^k e^r,  k = round(x / ln2),  r = x - k ln2,  |r| <= 0.3466
 *
 * A rounding addition yields k, whose bits are added to the exponent. AVX-512 could look 2^(j/8) up
 * in a register and do with four FMAs less, which is not worth a second set of coefficients. */
#ifndef EXP_POWERS_H
#define EXP_POWERS_H

#include "correct.h"

#define ROUNDING                                                                                   \
    0x1.8p52 /* a + ROUNDING - ROUNDING is a whole number, in the low bits of the sum */

/* e^r, to 2^-52. scripts/coefficients.sollya has these and their errors. */
static const double exp_c[] = {0x1p0,
                               0x1.0000000000019p0,
                               0x1.ffffffffffe93p-2,
                               0x1.555555554c5fep-3,
                               0x1.555555558b991p-5,
                               0x1.1111112c51db6p-7,
                               0x1.6c16c0cd35ab4p-10,
                               0x1.a0197caf13a81p-13,
                               0x1.a01b5b30b532dp-16,
                               0x1.72f78124e5b1bp-19,
                               0x1.27304035a28ebp-22};

/* (e^r - 1) / r, to 2^-49.4 of itself. */
static const double expm1_c[] = {0x1p0,
                                 0x1.fffffffffffbfp-2,
                                 0x1.5555555552266p-3,
                                 0x1.5555555564a31p-5,
                                 0x1.1111112134534p-7,
                                 0x1.6c16c135c410cp-10,
                                 0x1.a0199c0066fp-13,
                                 0x1.a01a786d622c2p-16,
                                 0x1.72da4052f346dp-19,
                                 0x1.27dce0460a487p-22};

/* Returns r of x = k ln2 + r, and writes z = k + ROUNDING. */
static inline dr dr_exp_reduce(dr x, dr *z)
{
    *z = dr_fma(x, dr_set1(0x1.71547652b82fep0), dr_set1(ROUNDING));
    dr k = dr_sub(*z, dr_set1(ROUNDING));
    dr r = dr_fma(k, dr_set1(-0x1.62e42fefa39efp-1), x);
    return dr_fma(k, dr_set1(-0x1.abc9e3b39803fp-56), r);
}

/* Returns e^x - 1, for |x| <= 300. */
static inline dr dr_expm1(dr x)
{
    dr z, r = dr_exp_reduce(x, &z), one = dr_set1(1);
    dr power = dr_scaled(one, z);
    return dr_fma(power, dr_mul(r, POLYNOMIAL(expm1_c, r)), dr_sub(power, one));
}

/* Returns e^x, for |x| <= 300. */
static inline dr dr_exp(dr x)
{
    dr z, r = dr_exp_reduce(x, &z);
    return dr_scaled(POLYNOMIAL(exp_c, r), z);
}

/* By a table:
 *
 *   e^x = 2^n (1 + m[j]) e^r,  16 n + j = round(16 x / ln2),  m[j] = 2^(j / 16) - 1,  |r| < 0.0217
 */
static const double power_parts[] = {/* j = 0 .. 7, -8 .. -1 */
                                     0x0p+0,
                                     0x1.6ab0d9f3121ecp-5,
                                     0x1.72b83c7d517aep-4,
                                     0x1.1c3d373ab11c3p-3,
                                     0x1.837f0518db8a9p-3,
                                     0x1.ef5326091a112p-3,
                                     0x1.2ff6b54d8a89cp-2,
                                     0x1.6ac1f752150a5p-2,
                                     -0x1.2bec333018867p-2,
                                     -0x1.0bdd71829fcf2p-2,
                                     -0x1.d4c6af7557c93p-3,
                                     -0x1.8edb9f5703dcp-3,
                                     -0x1.45d819a94b14bp-3,
                                     -0x1.f332113d56b1fp-4,
                                     -0x1.53f391822dbc7p-4,
                                     -0x1.5b505d5b6f268p-5};
/* (e^r - 1) / r, to 2^-59.7. */
static const double power_c[] = {0x1p0,
                                 0x1.0000000000003p-1,
                                 0x1.5555555555551p-3,
                                 0x1.55555554a086ep-5,
                                 0x1.111111115242p-7,
                                 0x1.6c1828c06aaep-10,
                                 0x1.a01a6d218503p-13};

/* Returns r of x and writes z = 16 n + j + ROUNDING. */
static inline dr dr_power_reduce(dr x, dr *z)
{
    *z = dr_fma(x, dr_set1(0x1.71547652b82fep+4), dr_set1(ROUNDING));
    dr k = dr_sub(*z, dr_set1(ROUNDING));
    dr r = dr_fma(k, dr_set1(-0x1.62e42fefa39efp-5), x);
    return dr_fma(k, dr_set1(-(0x1.abc9e3b39803fp-60)), r);
}
/* Returns 2^(z / 16) e^r, less 1 if less_one is 1. */
static inline dr dr_power(dr z, dr r, int less_one)
{
    dl whole = dl_and(dl_add(dl_of(z), dl_set1(8)), dl_set1(-16));
    dr power = dr_of_bits(dl_add(dl_shl(whole, 48), dl_set1(0x3ff0000000000000)));
    dr part = dr_lookup(power_parts, dl_and(dl_of(z), dl_set1(15)));
    dr scale = dr_fma(power, part, power);
    dr start = less_one ? dr_fma(power, part, dr_sub(power, dr_set1(1))) : scale;
    dr rest = dr_polynomial_wide(power_c + 1, sizeof power_c / sizeof *power_c - 1, r);
    return dr_fma(scale, dr_fma(dr_mul(r, r), rest, r), start);
}

#endif
