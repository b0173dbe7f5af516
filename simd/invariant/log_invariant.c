/* y = log(x), with one bit pattern on every ISA, compiler and policy. The equations and coefficients are those of log.h:
 *
 *   log(x) = e ln 2 + log(1 + f),  x = 2^e (1 + f),  1 + f in [0.75, 1.5)
 *   log(1 + f) = f + (f^3 p(f) - f^2 / 2)
 *
 * with every FMA written out. Zeros give -inf, negative numbers and NaN 0x7fc00000, +inf itself.
 * Error, over all 2^32 inputs: at most 0.836213 ulp, at 0x1.7354ccp+0.
 * 27 flops, 8 bytes per element. */
// build: policies=distinct stored=bf16,f16 stored_policies=off
#include "elementwise.h"

#include "../log.h"
#include "ops.h"
#include "scanned.h"

enum { LEAST_NORMAL = 0x00800000, BITS_OF_THREE_QUARTERS = 0x3f400000, SUBNORMAL_SHIFT = 23 };

/* Of 0 < x < inf; of other x the result is undefined. */
static inline vf log_of_positive(vf x)
{
    vi is_subnormal = bits_less(v_bits(x), vi_set1(LEAST_NORMAL));
    vf scaled = i_mul(x, i_set1(0x1p23f));
    vi bits = choose_bits(is_subnormal, v_bits(scaled), v_bits(x));
    vi k = vi_sar(vi_sub(bits, vi_set1(BITS_OF_THREE_QUARTERS)), 23);
    vf e = keep(v_from_int(vi_sub(k, vi_and(is_subnormal, vi_set1(SUBNORMAL_SHIFT)))));
    vf f = i_sub(keep(v_float(vi_sub(bits, vi_shl(k, 23)))), i_set1(1.0f)), f2 = i_mul(f, f);
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

/* y, but for the lanes of x that are not positive and finite. */
static __attribute__((noinline)) vf with_specials(vf x, vf y)
{
    vi bits = v_bits(x), magnitude = vi_and(bits, vi_set1(MAGNITUDE));
    vi is_zero = bits_less(magnitude, vi_set1(1)), is_negative = vi_sar(bits, 31);
    vi is_nan = bits_less(vi_set1(INFINITY_BITS), magnitude);
    vi is_infinite = bits_less(vi_set1(INFINITY_BITS - 1), magnitude);
    vi r = choose_bits(is_infinite, vi_set1(INFINITY_BITS), v_bits(y));
    r = choose_bits(vi_or(is_negative, is_nan), vi_set1(NAN_BITS), r);
    return keep(v_float(choose_bits(is_zero, vi_set1(INFINITY_BITS | (int32_t)0x80000000), r)));
}

static inline vf y_of(vf x)
{
    vf y = log_of_positive(x);
    vi bits = v_bits(x);
    vm special = m_or(vi_lt(bits, vi_set1(1)), vi_lt(vi_set1(INFINITY_BITS - 1), bits));
    return m_any(special) ? with_specials(x, y) : y;
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log", .algorithm = ALGORITHM, .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = LOG_FLOPS, .bytes = 2 * sizeof(element), .lanes = VL,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = STORED_ULP(0.84), .ulp_fused = STORED_ULP(0.84), .specials = true},
    .run = run,
    /* p eight times, three more in the end; x 2^23, f^2, f^3, e times ln 2's low part; f and its sum; the mask, the
     * choice, e and f by integers, two comparisons. */
    .ops = {.fma = 11, .mul = 4, .add = 2, .other = 16},
};
