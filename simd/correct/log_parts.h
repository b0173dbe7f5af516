// SPDX-License-Identifier: MIT
/* Logarithms in double: x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); log(1 + f) = f p(f).
 *
 * BY_TABLE: x = 2^e z, z in [LEAST, 2 LEAST), in 16 parts with an inverse each, z = (1 + r) /
 * inverse:
 *
 *   log(x) = (e ln2 - log(inverse)) + log1p(r),  |r| < 0.0305
 *
 * An inverse has 29 bits, so that r of a float x is exact, and was chosen among these so that its
 * logarithm has 42 bits behind the point but for 2^-59: the bracket is exact, too. Beside 1 the
 * inverse is 1. */
#ifndef LOG_PARTS_H
#define LOG_PARTS_H

#include "correct.h"

#define LEAST (BY_TABLE ? 0x3fe6600000000000 : 0x3fe6a09e667f3bcd) /* 0.699, sqrt(1/2) */
#define ONE 0x3ff0000000000000
#define EXPONENT 0x7ff0000000000000

/* log1p(f) / f, to 2^-54. scripts/coefficients.sollya has these and their errors. */
static const double log_c[] = {0x1p0,
                               -0x1.ffffffffffffbp-2,
                               0x1.55555555551a6p-2,
                               -0x1.00000000008f4p-2,
                               0x1.9999999a32c7cp-3,
                               -0x1.555555552e9bdp-3,
                               0x1.249248e059917p-3,
                               -0x1.ffffff8c8fc15p-4,
                               0x1.c71c8f0fc0119p-4,
                               -0x1.9999ca3c9ff1bp-4,
                               0x1.7459ac6de589ep-4,
                               -0x1.554d275752088p-4,
                               0x1.3b4c5fed9e7f4p-4,
                               -0x1.2548a64f1ae25p-4,
                               0x1.0f38385c1fc65p-4,
                               -0x1.eee49f3d78265p-5,
                               0x1.e95ef57075e6ep-5,
                               -0x1.15ff6d9da8041p-4,
                               0x1.030d08ea90af6p-4,
                               -0x1.cf9591701d2ecp-6};
/* log1p(r) / r, to 2^-56.6. */
static const double log_short_c[] = {0x1p0,
                                     -0x1.fffffffffffd1p-2,
                                     0x1.55555555554f6p-2,
                                     -0x1.00000000a574ap-2,
                                     0x1.9999999b663f1p-3,
                                     -0x1.555541bf36561p-3,
                                     0x1.249232eefebabp-3,
                                     -0x1.006dc54eb19aep-3,
                                     0x1.c7f6f486bae57p-4};
struct log_part {
    double inverse, log; /* log: -log(inverse) */
};
static const struct log_part log_parts[] = {
    {0x1.661b3b4p+0, -0x1.57b5529ab6p-2}, {0x1.572763dp+0, -0x1.2c08955ceap-2},
    {0x1.495863dp+0, -0x1.01f9bba1a8p-2}, {0x1.3c967cap+0, -0x1.b30afb8b42p-3},
    {0x1.30d6c54p+0, -0x1.6597e8e23ep-3}, {0x1.25f5635p+0, -0x1.1b28bf94e6p-3},
    {0x1.1bb9145p+0, -0x1.a52778cdc8p-4}, {0x1.1235f4dp+0, -0x1.1979b5f648p-4},
    {0x1.095a311p+0, -0x1.25efdb82d8p-5}, {0x1p+0, 0x0p+0},
    {0x1.e5719e2p-1, 0x1.b4508ac868p-5},  {0x1.ca46936p-1, 0x1.c60e8400dcp-4},
    {0x1.b215bc7p-1, 0x1.5217ceddecp-3},  {0x1.9c246d8p-1, 0x1.bc5367a26ap-3},
    {0x1.886dcfbp-1, 0x1.105a35abe9p-2},  {0x1.7684e8ap-1, 0x1.402f9c8211p-2}};
static const double ln2_high = 0x1.62e42fefa4p-1, ln2_low = -0x1.8432a1b0e2634p-43;

/* Returns the bits of 2^e, x = 2^e z; writes e, and part, in doubles from the beginning of a table
 * of struct log_part. For positive normal doubles. */
static inline dl dl_power_of(dr x, dr *e, dl *part)
{
    dl bits = dl_add(dl_of(x), dl_set1(ONE - LEAST)), power = dl_and(bits, dl_set1(EXPONENT));
    dr biased = dr_of_bits(dl_or(dl_shr(power, 52), dl_set1(0x4330000000000000)));
    *e = dr_sub(biased, dr_set1(0x1p52 + 1023));
    *part = dl_and(dl_shr(bits, 47), dl_set1(30));
    return power;
}

/* Returns f, or by the table r, of x, and writes e and part. */
static inline dr dr_mantissa(dr x, const struct log_part *parts, dr *e, dl *part)
{
    dl power = dl_power_of(x, e, part);
    dr z = dr_of_bits(dl_add(dl_sub(dl_of(x), power), dl_set1(ONE))), one = dr_set1(1);
    return BY_TABLE ? dr_fma(z, dr_lookup(&parts->inverse, *part), dr_set1(-1)) : dr_sub(z, one);
}

/* Returns log(x) of dr_mantissa()'s three. */
static inline dr dr_log(dr e, dl part, dr f)
{
    if (BY_TABLE) {
        dr high = dr_fma(e, dr_set1(ln2_high), dr_lookup(&log_parts->log, part));
        dr rest =
            dr_polynomial_wide(log_short_c + 1, sizeof log_short_c / sizeof *log_short_c - 1, f);
        return dr_add(high, dr_fma(dr_mul(f, f), rest, dr_fma(e, dr_set1(ln2_low), f)));
    }
    dr low = dr_fma(e, dr_set1(ln2_low), dr_mul(f, POLYNOMIAL(log_c, f)));
    return dr_fma(e, dr_set1(ln2_high), low);
}

/* Returns y where x is positive and finite; otherwise -inf of zeros, NaN of negative numbers, x. */
static inline vf i_log_special(vf x, vf y)
{
    vi bits = v_bits(x), r = v_bits(y);
    r = choose_bits(vi_sar(bits, 31), vi_set1(NAN_BITS), r);
    r = choose_bits(bits_less(vi_and(bits, vi_set1(MAGNITUDE)), vi_set1(1)),
                    vi_set1(INFINITY_BITS | INT32_MIN), r);
    return i_if_above(x, INFINITY_BITS, x, keep(v_float(r)));
}

#endif
