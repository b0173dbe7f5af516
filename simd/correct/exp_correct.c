// SPDX-License-Identifier: MIT
/* y = e^x, correctly rounded: correct.h, exp_powers.h. */
#include "exp_powers.h"

#define OP "exp"
enum { LEAST_BITS = 0, MOST_BITS = 0x42d00000 }; /* 104, beyond which y is infinite or 0 */

static inline dr dr_value(dr x)
{
    if (!BY_TABLE) return dr_exp(x);
    dr z, r = dr_power_reduce(x, &z);
    return dr_power(z, r, 0);
}
static inline vf y_elsewhere(vf x, vf y)
{
    (void)y;
    return vf_by_doubles(i_clamp(x, 104), dr_value);
}
#include "correct_unary.h"
