// SPDX-License-Identifier: MIT
/* y = log(x), with one bit pattern on every ISA, compiler and policy. The equations and
 * coefficients are those of log.h:
 *
 *   log(x) = e ln 2 + log(1 + f),  x = 2^e (1 + f),  1 + f in [0.75, 1.5)
 *   log(1 + f) = f + (f^3 p(f) - f^2 / 2)
 *
 * with every FMA written out. Zeros give -inf, negative numbers and NaN 0x7fc00000, +inf itself.
 * Error, over all 2^32 inputs: at most 0.836213 ulp, at 0x1.7354ccp+0. 27 flops, 8 bytes per
 * element. */
// build: stored=bf16,f16 stored_policies=off
#include "elementwise.h"

#include "functions/log.h"
#include "ops.h"
#include "scanned.h"

enum { LEAST_NORMAL = 0x00800000, BITS_OF_THREE_QUARTERS = 0x3f400000 };

/* Returns log(x) + exponent ln 2 for normal x > 0; for other x the result is undefined. */
static inline vf log_of_normal(vf x, vi exponent)
{
    vi k = vi_sar(vi_sub(v_bits(x), kept_set1(BITS_OF_THREE_QUARTERS)), 23);
    vf e = keep(v_from_int(vi_add(k, exponent)));
    vf f = i_sub(keep(v_float(vi_sub(v_bits(x), vi_shl(k, 23)))), i_set1(1.0f)), f2 = i_mul(f, f);
    vf p = i_fma(i_set1(log_k.c11), f, i_set1(log_k.c10));
    p = i_fma(p, f, i_set1(log_k.c9));
    p = i_fma(p, f, i_set1(log_k.c8));
    p = i_fma(p, f, i_set1(log_k.c7));
    p = i_fma(p, f, i_set1(log_k.c6));
    p = i_fma(p, f, i_set1(log_k.c5));
    p = i_fma(p, f, i_set1(log_k.c4));
    p = i_fma(p, f, i_set1(log_k.c3));
    vf s = i_fma(i_mul(f2, f), p, i_mul(e, i_set1(log_k.ln2_lo)));
    s = i_fma(f2, i_set1(-0.5f), s);
    return i_fma(e, i_set1(log_k.ln2_hi), i_add(f, s));
}

/* Returns log(x) for every x; subnormal ones are computed from x 2^23. */
static __attribute__((noinline)) vf log_of_any(vf x)
{
    vi bits = v_bits(x), magnitude = vi_and(bits, vi_set1(MAGNITUDE));
    vi is_small = bits_less(magnitude, vi_set1(LEAST_NORMAL)),
       is_zero = bits_less(magnitude, vi_set1(1));
    vi is_infinite = bits_less(vi_set1(INFINITY_BITS - 1), magnitude);
    vi is_nan = vi_or(vi_sar(bits, 31), bits_less(vi_set1(INFINITY_BITS), magnitude));
    vf normal = keep(v_float(choose_bits(is_small, v_bits(i_mul(x, i_set1(0x1p23f))), bits)));
    vi r = v_bits(log_of_normal(normal, vi_and(is_small, vi_set1(-23))));
    r = choose_bits(is_infinite, vi_set1(INFINITY_BITS), r);
    r = choose_bits(is_nan, vi_set1(NAN_BITS), r);
    return keep(v_float(choose_bits(is_zero, vi_set1(INFINITY_BITS | (int32_t)0x80000000), r)));
}

/* Returns whether some x is not both normal and positive: whether bits - LEAST_NORMAL, as an
 * unsigned number, reaches INFINITY_BITS - LEAST_NORMAL. Adding the sign bit's weight to both sides
 * makes this a comparison of signed integers. */
static inline int any_special(vf x)
{
    vi bits = vi_add(v_bits(x), kept_set1((int32_t)(0x80000000u - LEAST_NORMAL)));
    return m_any(vi_lt(kept_set1((int32_t)(0x80000000u + INFINITY_BITS - LEAST_NORMAL - 1)), bits));
}

static inline vf y_of(vf x)
{
    return any_special(x) ? log_of_any(x) : log_of_normal(x, vi_set1(0));
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = LOG_FLOPS,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = STORED_ULP(0.84), .ulp_fused = STORED_ULP(0.84), .specials = true},
    .run = run,
    /* fma: eight in p, three at the end. mul: f^2, f^3, e times the low part of ln 2. add: f and
     * its sum. other: e and f by integers, the comparison. */
    .ops = {.fma = 11, .mul = 3, .add = 2, .other = 7},
};
