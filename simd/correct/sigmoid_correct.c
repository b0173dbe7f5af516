// SPDX-License-Identifier: MIT
/* y = 1 / (1 + e^-x), correctly rounded: correct.h, exp_powers.h. */
#include "exp_powers.h"

#define OP "sigmoid"
/* Below 2^-9 there is a hard input, below TINY_BITS dr_near_zero() is meant; beyond 104 y is 1 or
 * 0. */
enum { TINY_BITS = 0x38800000, LEAST_BITS = 0x3b000000, MOST_BITS = 0x42d00000 };
static const struct hard hard[] = {{0xba928601, 0x3effdb5f}};

static inline dr dr_value(dr x)
{
    dr one = dr_set1(1);
    return dr_div(one, dr_add(one, dr_exp(dr_sub(dr_set1(0), x))));
}

/* Near 0 the function is 1/2 + x/4 - x^3/48, and 1/2 + x/4 may be the middle between two floats, of
 * which the nearer to 1/2 is right, though no double shows x^3/48. A slope that is smaller by 2^-28
 * of itself decides so, and is too small for a change to any other result. */
static inline dr dr_near_zero(dr x) { return dr_fma(x, dr_set1(0.25 - 0x1p-30), dr_set1(0.5)); }

static inline vf y_elsewhere(vf x, vf y)
{
    (void)y;
    y = vf_by_doubles(i_clamp(x, 104), dr_value);
    y = i_if_less(x, TINY_BITS, vf_by_doubles(x, dr_near_zero), y);
    return i_hard(x, y, hard, sizeof hard / sizeof *hard);
}
#include "correct_unary.h"
