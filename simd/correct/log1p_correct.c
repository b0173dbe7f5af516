// SPDX-License-Identifier: MIT
/* y = log(1 + x), correctly rounded: correct.h, log_parts.h. 1 + x = 2^e (1 + f) is rounded to a
 * double for e alone; f = x 2^-e + (2^-e - 1). */
#include "log_parts.h"

#define OP "log1p"
#define KEEPS_SIGN
#define ABOVE_MINUS_ONE
#define TESTS_MIDDLE
enum { LEAST_BITS = 0, MOST_BITS = INFINITY_BITS };
static const struct hard hard[] = {{0x35400003, 0x353fffff}, {0x3710001b, 0x370ffff3},
                                   {0x3770004b, 0x376fffdb}, {0x3efd81ad, 0x3ecdeee1},
                                   {0x41078feb, 0x400fe5e7}, {0x65d890d3, 0x4254d1f9},
                                   {0x6f31a8ec, 0x42845a89}, {0xb53ffffd, 0xb5400001},
                                   {0xb70fffe5, 0xb710000d}, {0xbb0ec8c4, 0xbb0ef0a5}};

static inline dr dr_value(dr x)
{
    dl part;
    dr e, one = dr_set1(1);
    dl power = dl_power_of(dr_add(x, one), &e, &part);
    dr inverse = dr_of_bits(dl_sub(dl_set1(2 * ONE), power));
    if (BY_TABLE) inverse = dr_mul(inverse, dr_lookup(&log_parts->inverse, part));
    return dr_log(e, part, dr_fma(x, inverse, dr_sub(inverse, one)));
}
/* -inf at -1, NaN below. */
static inline vf y_elsewhere(vf x, vf y)
{
    vi is_negative = vi_sar(v_bits(x), 31),
       beyond = vi_sub(v_bits(x), vi_set1((int32_t)0xbf800000));
    vi is_below = vi_and(is_negative, bits_less(vi_set1(-1), beyond));
    vi minus_infinity = vi_set1(INFINITY_BITS | INT32_MIN);
    vi lost = choose_bits(bits_less(beyond, vi_set1(1)), minus_infinity, vi_set1(NAN_BITS));
    y = keep(v_float(choose_bits(is_below, lost, v_bits(y))));
    y = i_hard(x, y, hard, sizeof hard / sizeof *hard);
    return i_if_above(x, INFINITY_BITS, x, y);
}
#include "correct_unary.h"
