// SPDX-License-Identifier: MIT
/* Powers of two for ISAs without instructions for them, in terms of the vocabulary: vec.h includes
 * this file. */
#ifndef SCALE_H
#define SCALE_H

/* Returns a * 2^n, rounded once, for |a| in [2^-20, 2^20], 0, infinity or NaN, and integral n in
 * [-252, 254]. The first step is exact where the result is not zero. The barriers keep
 * reassociation from multiplying the two powers first, which overflows, or the second power with a
 * later factor. */
static inline vf v_scale(vf a, vf n)
{
    vi whole = v_to_int(n), half = vi_sar(whole, 1), rest = vi_sub(whole, half);
    vi bias = vi_set1(127);
    a = v_barrier(v_mul(a, v_float(vi_shl(vi_add(half, bias), 23))));
    return v_barrier(v_mul(a, v_float(vi_shl(vi_add(rest, bias), 23))));
}

/* v_scale() for n in [-190, 0], in half the instructions. */
static inline vf v_scale_down(vf a, vf n)
{
    vi high = vi_shl(vi_add(v_to_int(n), vi_set1(127 + 64)), 23);
    return v_barrier(v_mul(v_barrier(v_mul(a, v_float(high))), v_set1(0x1p-64f)));
}

/* Returns m and the exponent of a = m * 2^exponent, m in [0.75, 1.5), for positive finite a,
 * subnormal ones included. */
static inline vf v_frexp(vf a, vf *exponent)
{
    vm tiny = v_lt(a, v_set1(0x1p-126f));
    vi bits = v_bits(v_select(tiny, v_mul(a, v_set1(0x1p23f)), a));
    vi e = vi_sar(vi_sub(bits, vi_set1(0x3f400000)), 23);
    *exponent = v_sub(v_from_int(e), v_select(tiny, v_set1(23.0f), v_set1(0.0f)));
    return v_float(vi_sub(bits, vi_shl(e, 23)));
}

#endif
