// SPDX-License-Identifier: MIT
/* y = cos(x), correctly rounded: correct.h, turns_parts.h. */
#include "turns_parts.h"

#define OP "cos"
enum { LEAST_BITS = 0 };

static const struct hard hard[] = {{0x52d9d3fe, 0xbf5e187b}, {0x5922aa80, 0x3f08aebf},
                                   {0x5f18b878, 0x3f7f14bb}, {0x6115cb11, 0x3f78142f},
                                   {0x7a38ab34, 0x3f7b3195}, {0xd2d9d3fe, 0xbf5e187b},
                                   {0xd922aa80, 0x3f08aebf}, {0xdf18b878, 0x3f7f14bb},
                                   {0xe115cb11, 0x3f78142f}, {0xfa38ab34, 0x3f7b3195}};

static inline dr dr_value(dr x) { return dr_sin_shifted(x, 0.5); }
static inline vf y_elsewhere(vf x, vf y)
{
    return i_hard(x, i_sin_of_large(x, y, 0.5), hard, sizeof hard / sizeof *hard);
}
#include "correct_unary.h"
