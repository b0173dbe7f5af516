// SPDX-License-Identifier: MIT
/* y = e^x, with one bit pattern on every ISA, compiler and policy. The equations and coefficients
 * are those of exp.h:
 *
 *   e^x = 2^n (1 + (r + r^2 q(r))),  n = round(x / ln 2 - 0.085),  r = x - n ln 2
 *
 * with every FMA written out. A rounding addition yields n, whose bits become exponents by integer
 * arithmetic. Error, over all 2^32 inputs: at most 0.894981 ulp, at 0x1.33f85ap+5. Every NaN in a
 * result is 0x7fc00000. 19 flops, 8 bytes per element. */
// build: stored=bf16,f16 stored_policies=off
#include "elementwise.h"

#include "exp.h"
#include "ops.h"
#include "scanned.h"

#define ROUNDING 0x1.8p23f /* a + ROUNDING - ROUNDING is a whole number */
enum { ROUNDING_BITS = 0x4b400000 };

/* Returns a 2^k, rounded once: of its two steps, the first is exact wherever the result is not
 * zero. */
static inline vf scale_by(vf a, vi k)
{
    vi half = vi_sar(k, 1), rest = vi_sub(k, half), bias = kept_set1(127);
    a = i_mul(a, keep(v_float(vi_shl(vi_add(half, bias), 23))));
    return i_mul(a, keep(v_float(vi_shl(vi_add(rest, bias), 23))));
}

/* Returns e^x for any x; NaN gives a NaN. */
static inline vf exp_of_any(vf x)
{
    vf zero = i_set1(0.0f);
    /* Clamps to -104 <= a <= 89, beyond which the result is 0 or infinite; i_max() passes NaN on.
     */
    vf a = i_max(i_set1(-104.0f), i_sub(zero, i_max(i_set1(-89.0f), i_sub(zero, x))));
    vf z = i_add(i_fma(a, i_set1(exp_k.log2e), i_set1(exp_k.shift)), i_set1(ROUNDING));
    vf minus_n = i_sub(i_set1(ROUNDING), z);
    vf r = i_fma(minus_n, i_set1(exp_k.ln2_hi), a);
    r = i_fma(minus_n, i_set1(exp_k.ln2_lo), r);
    vf q = i_fma(i_set1(exp_k.c6), r, i_set1(exp_k.c5));
    q = i_fma(q, r, i_set1(exp_k.c4));
    q = i_fma(q, r, i_set1(exp_k.c3));
    q = i_fma(q, r, i_set1(exp_k.c2));
    vf e = i_add(i_set1(1.0f), i_fma(i_mul(r, r), q, r));
    return scale_by(e, vi_sub(v_bits(z), kept_set1(ROUNDING_BITS)));
}

static __attribute__((noinline)) vf with_nans(vf x, vf y)
{
    vi is_nan = bits_less(vi_set1(INFINITY_BITS), vi_and(v_bits(x), vi_set1(MAGNITUDE)));
    return keep(v_float(choose_bits(is_nan, vi_set1(NAN_BITS), v_bits(y))));
}

static inline vf y_of(vf x)
{
    vf y = exp_of_any(x);
    int any_nan = m_any(vi_lt(kept_set1(INFINITY_BITS), vi_and(v_bits(x), kept_set1(MAGNITUDE))));
    return any_nan ? with_nans(x, y) : y;
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "exp",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = EXP_FLOPS,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .exp_ulp = OWN_EXP_ULP,
    .promise = {.ulp_off = STORED_ULP(0.9), .ulp_fused = STORED_ULP(0.9), .specials = true},
    .run = run,
    /* fma: n, r twice, q four times, r + r^2 q. mul: r^2 and two powers. add: two signs, two of the
     * rounding, the 1. max: two clamps. other: the powers' integers and the test for NaN. */
    .ops = {.fma = 8, .mul = 3, .add = 5, .max = 2, .other = 9},
};
