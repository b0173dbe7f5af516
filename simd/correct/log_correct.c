// SPDX-License-Identifier: MIT
/* y = log(x), correctly rounded: correct.h, log_parts.h. */
#include "log_parts.h"

#define OP "log"
#define POSITIVE
#define TESTS_MIDDLE
enum { LEAST_BITS = 1, MOST_BITS = INFINITY_BITS };
static const struct hard hard[] = {{0x3c413d3a, 0xc08e158f},
                                   {0x41178feb, 0x400fe5e7},
                                   {0x4c5d65a5, 0x418f034b},
                                   {0x65d890d3, 0x4254d1f9},
                                   {0x6f31a8ec, 0x42845a89}};

static inline dr dr_value(dr x)
{
    dl part;
    dr e, f = dr_mantissa(x, log_parts, &e, &part);
    return dr_log(e, part, f);
}
static inline vf y_elsewhere(vf x, vf y)
{
    return i_log_special(x, i_hard(x, y, hard, sizeof hard / sizeof *hard));
}
#include "correct_unary.h"
