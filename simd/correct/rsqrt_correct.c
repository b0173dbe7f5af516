// SPDX-License-Identifier: MIT
/* y = 1 / sqrt(x), correctly rounded: correct.h. Halving the exponent guesses y, and two steps
 * multiply it by (1 - r)^(-1/2) of r = 1 - x y^2: first by a polynomial for |r| < 0.0683, which
 * leaves |r| < 2^-14, then by the first four terms of the series, which err by 2^-58. No division
 * and no square root is needed.
 *
 * With two roundings of r and the last one of y the double errs by less than 2^-52.3 of itself. No
 * exact value is as near as 2^-51.74 of itself to the middle q between two floats: x and q are
 * whole numbers of 24 and 25 bits times powers of two, and x q^2 is compared with 1 in integers for
 * every x of two binades, of which all others are multiples by powers of 4
 * (tests/test_elementwise.c). So there is no hard input; the nearest is 0x1.7431c6p+1. */
#include "correct.h"

#define OP "rsqrt"
#define POSITIVE
enum { LEAST_BITS = 1, MOST_BITS = INFINITY_BITS };

static inline dr dr_value(dr x)
{
    dr one = dr_set1(1), minus_x = dr_sub(dr_set1(0), x);
    dr y = dr_of_bits(dl_sub(dl_set1(0x5fe6e85000000000), dl_shr(dl_of(x), 1)));
    dr r = dr_fma(dr_mul(minus_x, y), y, one);
    y = dr_mul(y, dr_fma(dr_fma(dr_set1(0x1.812a24813d534p-2), r, dr_set1(0x1.008ed7ab8975cp-1)), r,
                         dr_set1(0x1.fffff8dc26856p-1)));
    r = dr_fma(dr_mul(minus_x, y), y, one);
    dr terms = dr_fma(dr_fma(dr_set1(0.3125), r, dr_set1(0.375)), r, dr_set1(0.5));
    return dr_fma(dr_mul(y, r), terms, y);
}
/* An infinity with a zero's sign, NaN of negative numbers, +0 of +inf. */
static inline vf y_elsewhere(vf x, vf y)
{
    vi bits = v_bits(x), infinity = vi_or(vi_and(bits, vi_set1(INT32_MIN)), vi_set1(INFINITY_BITS));
    vi r = choose_bits(vi_sar(bits, 31), vi_set1(NAN_BITS), v_bits(y));
    r = choose_bits(bits_less(vi_and(bits, vi_set1(MAGNITUDE)), vi_set1(1)), infinity, r);
    return i_if_above(x, INFINITY_BITS, i_set1(0), keep(v_float(r)));
}
#include "correct_unary.h"
