// SPDX-License-Identifier: MIT
/* y = tanh(x) = t / (t + 2), t = e^2x - 1, correctly rounded: correct.h, exp_powers.h. */
#include "exp_powers.h"

#define OP "tanh"
#define KEEPS_SIGN
enum { LEAST_BITS = 0, MOST_BITS = 0x41200000 }; /* 10, beyond which y is 1 or -1 */

static inline dr dr_value(dr x)
{
    dr twice = dr_add(x, x), z, r = dr_power_reduce(twice, &z);
    dr t = BY_TABLE ? dr_power(z, r, 1) : dr_expm1(twice);
    return dr_div(t, dr_add(t, dr_set1(2)));
}
static inline vf y_elsewhere(vf x, vf y)
{
    (void)y;
    return vf_by_doubles(i_clamp(x, 10), dr_value);
}
#include "correct_unary.h"
