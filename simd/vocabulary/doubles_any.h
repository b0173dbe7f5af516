// SPDX-License-Identifier: MIT
/* Operations on registers of doubles that are made of those of an ISA's doubles.h, which includes
 * this file. */
#ifndef DOUBLES_ANY_H
#define DOUBLES_ANY_H

static inline dr dr_abs(dr a) { return dr_of_bits(dl_and(dl_of(a), dl_set1(INT64_MAX))); }
/* Returns a 2^k for the integer k in the lowest bits of z; a and the result must be normal. */
static inline dr dr_scaled(dr a, dr z)
{
    return dr_of_bits(dl_add(dl_of(a), dl_shl(dl_of(z), 52)));
}

/* Returns f() of the lanes of floats, in double, rounded to floats again. vf_by_doubles_tested()
 * also writes whether a double was in the middle between two floats. */
static inline __attribute__((always_inline)) vf vf_by_doubles(vf x, dr (*f)(dr))
{
    return vd_to(vd_each(vd_of(x), f));
}
static inline __attribute__((always_inline)) vf vf_by_doubles_tested(vf x, dr (*f)(dr),
                                                                     int *is_middle)
{
    vd a = vd_each(vd_of(x), f);
    *is_middle = vd_any_middle(a);
    return vd_to(a);
}

#endif
