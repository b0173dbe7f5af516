// SPDX-License-Identifier: MIT
/* y = sin(x), correctly rounded: correct.h, turns_parts.h. */
#include "turns_parts.h"

#define OP "sin"
enum { LEAST_BITS = 1 };

static const struct hard hard[] = {{0x55cafb2a, 0xbf7e7a17},
                                   {0x6d734599, 0xbf5b5135},
                                   {0xd5cafb2a, 0x3f7e7a17},
                                   {0xed734599, 0x3f5b5135}};

static inline dr dr_value(dr x) { return dr_sin_shifted(x, 0); }
static inline vf y_elsewhere(vf x, vf y)
{
    y = i_hard(x, i_sin_of_large(x, y, 0), hard, sizeof hard / sizeof *hard);
    return i_if_less(x, LEAST_BITS, x, y);
}
#include "correct_unary.h"
