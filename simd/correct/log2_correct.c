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
/* The polynomial of a short r, whose error is at most 2^-55.5, and the table of inverses, both for
 * base 2. */
static const double log2_short_c[] = {
    0x1.71547652b82fep0,   -0x1.71547652b82dcp-1, 0x1.ec709dc3a180dp-2,
    -0x1.71547653a775ep-2, 0x1.2776c4fcc9385p-2,  -0x1.ec708179b8c61p-3,
    0x1.a6181cfdb146p-3,   -0x1.71f2e53f06f8ep-3, 0x1.4750f4f4b7423p-3};
static const struct log_part log2_parts[] = {
    {0x1.662a469p+0, -0x1.f01bd13189p-2}, {0x1.5725272p+0, -0x1.b0d1bb4348p-2},
    {0x1.4949b5fp+0, -0x1.73ec3abe5dp-2}, {0x1.3cae1cfp+0, -0x1.3a3f6a403bp-2},
    {0x1.30c5ac1p+0, -0x1.01a019b84cp-2}, {0x1.25d5b49p+0, -0x1.9744a45dc4p-3},
    {0x1.1b853f8p+0, -0x1.2db07809dcp-3}, {0x1.121c876p+0, -0x1.93f13ca654p-4},
    {0x1.0957051p+0, -0x1.a7826f5b9p-5},  {0x1p+0, 0x0p+0},
    {0x1.e569d6fp-1, 0x1.3b1ab56fp-4},    {0x1.ca5a47fp-1, 0x1.4709546342p-3},
    {0x1.b206b0ep-1, 0x1.e82a470d64p-3},  {0x1.9c30329p-1, 0x1.405938de51p-2},
    {0x1.886b383p-1, 0x1.88f5a4a836p-2},  {0x1.7689681p-1, 0x1.cddc86607p-2}};

static inline dr dr_value(dr x)
{
    dl part;
    dr e, f = dr_mantissa(x, log2_parts, &e, &part);
    if (BY_TABLE) {
        dr high = dr_add(e, dr_lookup(&log2_parts->log, part));
        return dr_fma(f, POLYNOMIAL_WIDE(log2_short_c, f), high);
    }
    return dr_fma(f, POLYNOMIAL(log2_c, f), e);
}
static inline vf y_elsewhere(vf x, vf y) { return i_log_special(x, y); }
#include "correct_unary.h"
