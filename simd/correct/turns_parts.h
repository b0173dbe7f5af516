// SPDX-License-Identifier: MIT
/* sin and cos in double: x = k pi + r, |r| <= pi / 2; sin(x) = (-1)^k sin(r), and cos(x) is the
 * sine of x + pi / 2. */
#ifndef TURNS_PARTS_H
#define TURNS_PARTS_H

#include <string.h>

#include "correct.h"

#define ROUNDING                                                                                   \
    0x1.8p52 /* a + ROUNDING - ROUNDING is a whole number, in the low bits of the sum */
/* LEAST_BITS: a zero's sign is that of x; of the cosine no x is too small. From 2^23 on
 * i_turns_of_large() reduces x. */
enum { MOST_BITS = 0x4b000000 };

/* (sin(r) / r - 1) / r^2 as a polynomial of r^2, to 2^-49.5. */
static const double sin_c[] = {
    -0x1.5555555555556p-3,  0x1.111111110ffa6p-7,  -0x1.a01a019e59944p-13, 0x1.71de3947c2517p-19,
    -0x1.ae63bb733ede3p-26, 0x1.60f67d964e4a9p-33, -0x1.a0f9e1512b444p-41};

/* Returns (-1)^k sin(r), z = k + ROUNDING. */
static inline dr dr_sin_reduced(dr r, dr z)
{
    dr s = dr_mul(r, r), y = dr_fma(dr_mul(r, s), POLYNOMIAL(sin_c, s), r);
    return dr_of_bits(dl_xor(dl_of(y), dl_shl(dl_of(z), 63)));
}

/* Returns sin(x + shift pi), |x| < 2^23. The high part of pi has 30 bits, so that its products are
 * exact. */
static inline dr dr_sin_shifted(dr x, double shift)
{
    dr z = dr_add(dr_fma(x, dr_set1(0x1.45f306dc9c883p-2), dr_set1(shift)), dr_set1(ROUNDING));
    dr k = dr_sub(dr_sub(z, dr_set1(ROUNDING)), dr_set1(shift));
    dr r = dr_fma(k, dr_set1(-0x1.921fb548p1), x);
    return dr_sin_reduced(dr_fma(k, dr_set1(0x1.de973dcb3b39ap-30), r), z);
}

/* Returns the nearest double to r / pi, x + shift pi = k pi + r, and writes k + ROUNDING, for
 * finite |x| >= 2^23: x is m 2^e, and m times those bits of 1 / pi that are not whole pairs of
 * turns is computed modulo 2 to 127 bits behind the point (Payne and Hanek 1983). */
static double turns_of_large(float x, double shift, double *z)
{
    static const uint64_t inverse[] = {0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
                                       0x7f9458eaf7aef158, 0x6dc91b8e909374b8};
    uint32_t bits = f_bits(x), e = ((bits >> 23) & 0xff) - 150, word = e / 64, skip = e % 64;
    unsigned __int128 high = inverse[word], window = high << 64 | inverse[word + 1];
    if (skip) window = window << skip | inverse[word + 2] >> (64 - skip);
    unsigned __int128 turns = window * ((bits & 0x7fffff) | 0x800000);
    if (bits >> 31) turns = -turns;
    turns += (unsigned __int128)(2 * shift) << 126;
    unsigned __int128 part = turns << 1; /* of 2^128, a number with a sign */
    *z = d_add(ROUNDING, (double)((unsigned)(turns >> 127) ^ (unsigned)(part >> 127)));
    double upper = d_keep((double)(int64_t)(part >> 64)), lower = d_keep((double)(uint64_t)part);
    return d_fma(upper, 0x1p-64, d_mul(lower, 0x1p-128));
}

/* Returns y where |x| < 2^23, and sin(x + shift pi) elsewhere; NaN of infinities. */
static inline vf i_sin_of_large(vf x, vf y, double shift)
{
    enum { REGISTER = sizeof(dr) / sizeof(double) };
    float in[VL], out[VL];
    v_store(in, x);
    v_store(out, y);
    for (size_t i = 0; i < VL; i++) {
        uint32_t magnitude = f_bits(in[i]) & MAGNITUDE;
        if (magnitude < MOST_BITS) continue;
        if (magnitude >= INFINITY_BITS) {
            out[i] = f_from_bits(NAN_BITS);
            continue;
        }
        double z, turns = turns_of_large(in[i], shift, &z), result[REGISTER];
        dr value = dr_sin_reduced(dr_set1(d_mul(turns, 0x1.921fb54442d18p1)), dr_set1(z));
        memcpy(result, &value, sizeof value);
        out[i] = f_of(result[0]);
    }
    return v_load(out);
}

#endif
