// SPDX-License-Identifier: MIT
/* The common header of this folder's functions of one element, whose results are correctly rounded:
 * each is the float nearest to the exact value.
 *
 * A function is computed in double by a polynomial, in scalar code by a table and a shorter one
 * where that takes less time (BY_TABLE), and its result is rounded to float. The double errs by
 * less than 2^-48 of itself. That rounds to the wrong float only where the exact value is as near
 * as that to the middle between two floats, which is so for some hundreds of the 2^32 inputs: all
 * of them have been decided by MPFR, and the last bits of a few coefficients were chosen so that
 * they come out right, or they stand in a list of a few hard ones that lie where they cost common
 * inputs no time (`make certify` counts). No test of the rounding is needed.
 *
 * The file of a function defines, before it includes correct_unary.h:
 *
 *   OP                            its operation
 *   dr dr_value(dr x)             the function in double, for |x| in [LEAST, MOST)
 *   LEAST_BITS, MOST_BITS         the bits of these, as floats
 *   vf y_elsewhere(vf x, vf y)    the results where some |x| is outside of it, of all but NaN; y is
 *                                 what dr_value() gave
 *
 * The kernels promise 0.5001 ulp of the oracle's value, which may err by 2^-14 ulp itself.
 *
 * Operations are those of exact_ops.h: they round where they are written, whatever the compiler and
 * its flags; those of doubles are in doubles.h. */
#ifndef CORRECT_H
#define CORRECT_H

#define ALGORITHM "correct"
#include "doubles.h"
#include "invariant/elementwise.h"

/* Returns the lanes of x between -limit and limit; NaN stays NaN. */
static inline vf i_clamp(vf x, float limit)
{
    vf zero = i_set1(0.0f), low = i_set1(-limit);
    return i_max(low, i_sub(zero, i_max(low, i_sub(zero, x))));
}
/* Returns a where the bits of |x| are above `most`, and b elsewhere. */
static inline vf i_if_beyond(vf x, int32_t most, vf a, vf b)
{
    vi is_beyond = bits_less(vi_set1(most), vi_and(v_bits(x), vi_set1(MAGNITUDE)));
    return keep(v_float(choose_bits(is_beyond, v_bits(a), v_bits(b))));
}

/* Returns a where the bits of |x| are below `least`, and b elsewhere. */
static inline vf i_if_less(vf x, int32_t least, vf a, vf b)
{
    return i_if_beyond(x, least - 1, b, a);
}
/* Returns a where x is positive and its bits reach `most`, and b elsewhere. */
static inline vf i_if_above(vf x, int32_t most, vf a, vf b)
{
    vi is_negative = vi_sar(v_bits(x), 31);
    return keep(
        v_float(choose_bits(is_negative, v_bits(b), v_bits(i_if_beyond(x, most - 1, a, b)))));
}

/* Inputs whose exact value is so near to the middle between two floats that the double fails: their
 * bits, and those of the result. */
struct hard {
    uint32_t x, y;
};
static inline vf i_hard(vf x, vf y, const struct hard *list, size_t n)
{
    vi r = v_bits(y), zero = vi_set1(0);
    for (size_t i = 0; i < n; i++) {
        vi off = vi_sub(v_bits(x), vi_set1((int32_t)list[i].x));
        vi differs = vi_sar(vi_or(off, vi_sub(zero, off)), 31);
        r = choose_bits(differs, r, vi_set1((int32_t)list[i].y));
    }
    return keep(v_float(r));
}

/* Returns a, moved up or down by one or two units of its last place, for results that are in the
 * middle between two floats but for what no double shows. A zero stays. */
static inline dr dr_moved(dr a, int up)
{
    dl negative = dl_shr(dl_of(a), 63), three = dl_add(negative, dl_add(negative, negative));
    dl factor = up ? dl_sub(dl_set1(0x3ff0000000000001), three)
                   : dl_add(dl_set1(0x3feffffffffffffe), three); /* 1 + 2^-52 or 1 - 2^-52 */
    return dr_mul(a, dr_of_bits(factor));
}

/* Returns c[0] + c[1] x + .. + c[n - 1] x^(n - 1). */
ALWAYS_INLINE dr dr_polynomial(const double *c, size_t n, dr x)
{
    dr sum = dr_set1(c[n - 1]);
#pragma GCC unroll 32
    for (size_t i = n - 1; i-- > 0;) sum = dr_fma(sum, x, dr_set1(c[i]));
    return sum;
}
#define POLYNOMIAL(c, x) dr_polynomial(c, sizeof(c) / sizeof *(c), x)

/* Returns the same, n > 1, of pairs and fours of terms, by which fewer operations follow each other
 * (Estrin 1960). */
ALWAYS_INLINE dr dr_pair(const double *c, size_t n, dr x)
{
    return n > 1 ? dr_fma(dr_set1(c[1]), x, dr_set1(c[0])) : dr_set1(c[0]);
}
ALWAYS_INLINE dr dr_four(const double *c, size_t n, dr x, dr square)
{
    dr low = dr_pair(c, n, x);
    return n > 2 ? dr_fma(dr_pair(c + 2, n - 2, x), square, low) : low;
}
ALWAYS_INLINE dr dr_polynomial_wide(const double *c, size_t n, dr x)
{
    dr square = dr_mul(x, x), fourth = dr_mul(square, square);
    size_t last = (n - 1) / 4 * 4;
    dr sum = dr_four(c + last, n - last, x, square);
#pragma GCC unroll 8
    for (size_t i = last; i > 0; i -= 4)
        sum = dr_fma(sum, fourth, dr_four(c + i - 4, 4, x, square));
    return sum;
}
#define POLYNOMIAL_WIDE(c, x) dr_polynomial_wide(c, sizeof(c) / sizeof *(c), x)

/* In scalar code a table's element is an operand in memory, and a table with a short polynomial
 * takes less time than a long polynomial; in vectors the lookups alone take as long as that. */
enum { BY_TABLE = DOUBLES == 1 };

/* Returns table[i] of each lane's i. */
static inline dr dr_lookup(const double *table, dl i)
{
    int64_t at[DOUBLES];
    double values[DOUBLES];
    dr a;
    __builtin_memcpy(at, &i, sizeof at);
    for (size_t k = 0; k < DOUBLES; k++) values[k] = table[at[k]];
    __builtin_memcpy(&a, values, sizeof a);
    return a;
}

#endif
