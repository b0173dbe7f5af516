// SPDX-License-Identifier: MIT
/* y = x / (1 + e^-x), correctly rounded: correct.h, exp_powers.h. */
#include "exp_powers.h"

#define OP "silu"
#define KEEPS_SIGN
/* Below 2^-14 dr_near_zero(), below 2^-30 dr_half() is meant; beyond 112 y is x or -0. */
enum { TINY_BITS = 0x30800000, LEAST_BITS = 0x38800000, MOST_BITS = 0x42e00000 };

static inline dr dr_value(dr x)
{
    return dr_div(x, dr_add(dr_set1(1), dr_exp(dr_sub(dr_set1(0), x))));
}

/* Near 0 the function is x/2 + x^2/4 - x^4/48, and x/2 + x^2/4 may be the middle between two
 * floats, of which the lower one is right, though no double shows x^4/48. */
static inline dr dr_near_zero(dr x)
{
    dr slope = dr_fma(dr_mul(x, x), dr_set1(-0x1.5555555555555p-6), dr_set1(0.25));
    return dr_moved(dr_mul(x, dr_fma(x, slope, dr_set1(0.5))), 0);
}
/* Nearer still it is x/2, which of subnormal x may be such a middle, and x^2/4 more. */
static inline dr dr_half(dr x) { return dr_moved(dr_mul(x, dr_set1(0.5)), 1); }

static inline vf y_elsewhere(vf x, vf y)
{
    y = vf_by_doubles(i_clamp(x, 112), dr_value);
    y = i_if_less(x, LEAST_BITS, vf_by_doubles(x, dr_near_zero), y);
    y = i_if_less(x, TINY_BITS, vf_by_doubles(x, dr_half), y);
    return i_if_above(x, MOST_BITS, x, y);
}
#include "correct_unary.h"
