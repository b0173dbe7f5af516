// SPDX-License-Identifier: MIT
/* Registers of 4 doubles, and their lanes as 64-bit integers. scalar/doubles.h says what each
 * operation means. */
#ifndef DOUBLES_H
#define DOUBLES_H

#include "invariant_isa.h"

typedef __m256i dl;

static inline dr dr_set1(double a) { return _mm256_set1_pd(a); }
static inline dr dr_fma(dr a, dr b, dr c) { return keep_dr(_mm256_fmadd_pd(a, b, c)); }

static inline dl dl_set1(int64_t a) { return _mm256_set1_epi64x(a); }
static inline dl dl_add(dl a, dl b) { return _mm256_add_epi64(a, b); }
static inline dl dl_sub(dl a, dl b) { return _mm256_sub_epi64(a, b); }
static inline dl dl_and(dl a, dl b) { return _mm256_and_si256(a, b); }
static inline dl dl_or(dl a, dl b) { return _mm256_or_si256(a, b); }
static inline dl dl_xor(dl a, dl b) { return _mm256_xor_si256(a, b); }
#define dl_shl(a, k) _mm256_slli_epi64(a, k)
#define dl_shr(a, k) _mm256_srli_epi64(a, k)

static inline dl dl_of(dr a) { return _mm256_castpd_si256(a); }
static inline dr dr_of_bits(dl a) { return keep_dr(_mm256_castsi256_pd(a)); }

static inline __attribute__((always_inline)) vf vf_by_doubles(vf x, dr (*f)(dr))
{
    vd a = vd_of(x);
    return vd_to((vd){f(a.low), f(a.high)});
}

static inline int dr_any_middle(dr a)
{
    return _mm256_movemask_epi8(
        _mm256_cmpeq_epi64(dl_and(dl_of(a), dl_set1(0x1fffffff)), dl_set1(0x10000000)));
}
static inline __attribute__((always_inline)) vf vf_by_doubles_tested(vf x, dr (*f)(dr),
                                                                     int *is_middle)
{
    vd a = vd_of(x);
    a = (vd){f(a.low), f(a.high)};
    *is_middle = dr_any_middle(a.low) | dr_any_middle(a.high);
    return vd_to(a);
}

#endif
