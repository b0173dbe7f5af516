// SPDX-License-Identifier: MIT
/* y = x P(x), P(x) = erfc(-x / sqrt(2)) / 2, correctly rounded: correct.h, exp_powers.h.
 *
 *   P(-t) = e^(-t^2 / 2) m(v),  v = (t - 4) / (t + 4),  t = |x|,  and P(t) = 1 - P(-t) */
/* The map v is that of Shepherd and Laframboise (1981). */
#include "exp_powers.h"

#define OP "gelu"
enum { LEAST_BITS = 0x30800000, MOST_BITS = 0x41700000 }; /* 2^-30; 15, beyond which y is x or -0 */

/* e^(t^2 / 2) erfc(t / sqrt(2)) / 2, to 2^-54.8, t in [0, 15]. */
static const double gelu_c[] = {
    0x1.82b4bb8c94dcep-4,   -0x1.5cf97b0ae882dp-3,  0x1.fd751a1fba3b7p-4,  -0x1.25b6aa9658125p-4,
    0x1.f9b05f0efde94p-6,   -0x1.1644dc2f84204p-7,  0x1.0a1bd412a8ddcp-11, 0x1.4eec24f229b2fp-11,
    -0x1.888dc87ad886bp-13, -0x1.7e2476db27299p-15, 0x1.e0a34987a79fp-16,  0x1.36d479dc1332fp-18,
    -0x1.20c5b8aaf6a0dp-18, -0x1.bd866c6de142p-21,  0x1.6235b123a3baap-21, 0x1.bb352733148f4p-23,
    -0x1.85092149875c3p-24, -0x1.bdc36df7d8481p-25, 0x1.6c4a4112c8636p-28, 0x1.3f78442a0faa7p-27,
    0x1.0dbb0bbec3369p-29};

static inline dr dr_value(dr x)
{
    dl sign = dl_set1(INT64_MIN);
    dr minus_t = dr_of_bits(dl_or(dl_of(x), sign)), four = dr_set1(4);
    dr v = dr_div(dr_sub(dr_sub(dr_set1(0), minus_t), four), dr_sub(four, minus_t));
    dr square = dr_mul(x, x),
       tail = dr_mul(dr_exp(dr_mul(square, dr_set1(-0.5))), POLYNOMIAL(gelu_c, v));
    /* x P(-t) where x is negative, x - x P(-t) elsewhere. */
    dl is_positive = dl_sub(dl_shr(dl_of(x), 63), dl_set1(1));
    dr whole = dr_of_bits(dl_and(is_positive, dl_of(x)));
    dr part = dr_of_bits(dl_xor(dl_of(x), dl_and(is_positive, sign)));
    return dr_fma(part, tail, whole);
}
/* Near 0 the function is x/2, which of subnormal x may be the middle between two floats, and x^2
 * times 0.4 more. */
static inline dr dr_half(dr x) { return dr_moved(dr_mul(x, dr_set1(0.5)), 1); }

static inline vf y_elsewhere(vf x, vf y)
{
    y = i_if_less(x, LEAST_BITS, vf_by_doubles(x, dr_half), y);
    vi large = vi_sub(vi_and(v_bits(x), vi_set1(MAGNITUDE)), vi_set1(MOST_BITS));
    y = keep(v_float(choose_bits(bits_less(large, vi_set1(0)), v_bits(y), vi_set1(INT32_MIN))));
    return i_if_above(x, MOST_BITS, x, y);
}
#include "correct_unary.h"
