// SPDX-License-Identifier: MIT
/* y = log2(x), correctly rounded: correct.h, log_parts.h. */
#include "log_parts.h"

#define OP "log2"
#define POSITIVE
enum { LEAST_BITS = 1, MOST_BITS = INFINITY_BITS };

/* log2(1 + f) / f, to 2^-53.8. */
static const double log2_c[] = {
    0x1.71547652b82fep0,  -0x1.71547652b82f8p-1, 0x1.ec709dc39ff3bp-2, -0x1.71547652b97a8p-2,
    0x1.2776c50f63eadp-2, -0x1.ec709dc2e947p-3,  0x1.a6176247077a2p-3, -0x1.7154761e56ea5p-3,
    0x1.484b28d4241a2p-3, -0x1.2776e40d58747p-3, 0x1.0c980c6a3ee37p-3, -0x1.ec656f3a1ddb2p-4,
    0x1.c6e1e46321d02p-4, -0x1.a717ca871da82p-4, 0x1.873b7bfa62071p-4, -0x1.65201c38f08adp-4,
    0x1.6170af436fa36p-4, -0x1.90f246545883p-4,  0x1.746bb640d6292p-4, -0x1.4c4608980d347p-5};

static inline dr dr_value(dr x)
{
    dr e, f = dr_mantissa(x, &e);
    return dr_fma(f, POLYNOMIAL(log2_c, f), e);
}
static inline vf y_elsewhere(vf x, vf y) { return i_log_special(x, y); }
#include "correct_unary.h"
