// SPDX-License-Identifier: MIT
/* y = log(1 + e^x) = max(x, 0) + log1p(e^-|x|), correctly rounded: correct.h, exp_powers.h. */
#include "exp_powers.h"

#define OP "softplus"
enum { LEAST_BITS = 0, MOST_BITS = 0x42d00000 }; /* 104, beyond which y is x or 0 */

/* log1p(e) / e, to 2^-54, e in [0, 1]. */
static const double softplus_c[] = {0x1p0,
                                    -0x1.ffffffffffde3p-2,
                                    0x1.555555553f8f4p-2,
                                    -0x1.fffffff611dfp-3,
                                    0x1.9999987076575p-3,
                                    -0x1.5555405637dc8p-3,
                                    0x1.24914cdb7e4b4p-3,
                                    -0x1.ffef4a08a000dp-4,
                                    0x1.c6b438109062cp-4,
                                    -0x1.97acc82a35f0cp-4,
                                    0x1.6d4e094063f41p-4,
                                    -0x1.40e667518764ap-4,
                                    0x1.0bab653ec810ap-4,
                                    -0x1.9640628d98aa6p-5,
                                    0x1.0b1d870125035p-5,
                                    -0x1.20e4c4bb0620fp-6,
                                    0x1.e4c992c3ab4e8p-8,
                                    -0x1.246b9a316c1a4p-9,
                                    0x1.bfb4c0ff02e05p-12,
                                    -0x1.44f84a4d352e8p-15};

static inline dr dr_value(dr x)
{
    dl sign = dl_set1(INT64_MIN);
    dr e = dr_exp(dr_of_bits(dl_or(dl_of(x), sign)));
    return dr_fma(e, POLYNOMIAL(softplus_c, e), dr_max(x, dr_set1(0)));
}
static inline vf y_elsewhere(vf x, vf y)
{
    y = vf_by_doubles(i_clamp(x, 104), dr_value);
    return i_if_above(x, MOST_BITS, x, y);
}
#include "correct_unary.h"
