// SPDX-License-Identifier: MIT
/* Logarithms in double: x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); log(1 + f) = f p(f). */
#ifndef LOG_PARTS_H
#define LOG_PARTS_H

#include "correct.h"

#define ROOT_HALF 0x3fe6a09e667f3bcd
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
static const double ln2_high = 0x1.62e42fefa4p-1, ln2_low = -0x1.8432a1b0e2634p-43;

/* Returns the bits of 2^e, x = 2^e (1 + f), and writes e; for positive normal doubles. */
static inline dl dl_power_of(dr x, dr *e)
{
    dl power = dl_and(dl_add(dl_of(x), dl_set1(ONE - ROOT_HALF)), dl_set1(EXPONENT));
    dr biased = dr_of_bits(dl_or(dl_shr(power, 52), dl_set1(0x4330000000000000)));
    *e = dr_sub(biased, dr_set1(0x1p52 + 1023));
    return power;
}

/* Returns f of x = 2^e (1 + f), and writes e. */
static inline dr dr_mantissa(dr x, dr *e)
{
    dl power = dl_power_of(x, e);
    return dr_sub(dr_of_bits(dl_add(dl_sub(dl_of(x), power), dl_set1(ONE))), dr_set1(1));
}

/* Returns e ln2 + log(1 + f). */
static inline dr dr_log(dr e, dr f)
{
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
