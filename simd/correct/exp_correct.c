// SPDX-License-Identifier: MIT
/* y = e^x, correctly rounded: correct.h, exp_powers.h. */
#include "exp_powers.h"

enum { LEAST_BITS = 0, MOST_BITS = 0x42d00000 }; /* 104, beyond which y is infinite or 0 */

static inline dr dr_value(dr x) { return dr_exp(x); }
static inline vf y_elsewhere(vf x, vf y)
{
    (void)y;
    return vf_by_doubles(i_clamp(x, 104), dr_value);
}
#include "correct_unary.h"

const struct kernel KERNEL = {
    .op = "exp",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .promise = {.ulp_off = 0.5001, .ulp_fused = 0.5001, .specials = true},
    .run = run,
};
