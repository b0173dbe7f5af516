// SPDX-License-Identifier: MIT
/* y = 2^x, correctly rounded: correct.h. 2^x = 2^k 2^r, k = round(x), r = x - k. */
#include "exp_powers.h"

#define OP "exp2"
#define TESTS_MIDDLE
enum { LEAST_BITS = 0, MOST_BITS = 0x43180000 }; /* 152, beyond which y is infinite or 0 */
static const struct hard hard[] = {{0x3b429d37, 0x3f804385}, {0xbcf3a937, 0x3f7ac6b1}};

/* 2^r to 2^-57, |r| <= 1/2. */
static const double exp2_c[] = {0x1p0,
                                0x1.62e42fefa39efp-1,
                                0x1.ebfbdff82c5a6p-3,
                                0x1.c6b08d704a12cp-5,
                                0x1.3b2ab6fb9fda6p-7,
                                0x1.5d87fe789e96fp-10,
                                0x1.4309130f6cbdbp-13,
                                0x1.ffcbfc6685ee5p-17,
                                0x1.62bfc6596be6ap-20,
                                0x1.b52522bc20bcdp-24,
                                0x1.e61d4332035bap-28,
                                0x1.e9731780488cp-32};

static inline dr dr_value(dr x)
{
    if (BY_TABLE) {
        dr z = dr_fma(x, dr_set1(16), dr_set1(ROUNDING));
        dr r = dr_fma(dr_sub(z, dr_set1(ROUNDING)), dr_set1(-0x1p-4), x);
        return dr_power(z, dr_mul(r, dr_set1(0x1.62e42fefa39efp-1)), 0);
    }
    dr z = dr_add(x, dr_set1(ROUNDING)), r = dr_sub(x, dr_sub(z, dr_set1(ROUNDING)));
    return dr_scaled(POLYNOMIAL(exp2_c, r), z);
}
static inline vf y_elsewhere(vf x, vf y)
{
    y = vf_by_doubles(i_clamp(x, 152), dr_value);
    return i_hard(x, y, hard, sizeof hard / sizeof *hard);
}
#include "correct_unary.h"
