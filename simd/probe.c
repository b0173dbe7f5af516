// SPDX-License-Identifier: MIT
/* The probe of a regime: what this compiler really does under these flags. Each test computes, from
 * inputs that no compiler can know, a value that reveals one liberty. Results are compared by their
 * bits, since a policy may rewrite a comparison of floats as freely as the arithmetic before it. */
#include <immintrin.h>

#include "probe.h"
#include "vec.h"

/* Hides a value from the compiler: v_barrier for plain C. */
static inline float opaque(float a)
{
    __asm__ volatile("" : "+x"(a));
    return a;
}
static inline vf v_opaque(float a) { return v_barrier(v_set1(a)); }

static inline uint32_t bits(float a)
{
    uint32_t b;
    a = opaque(a);
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline uint32_t v_bits_of_first(vf a)
{
    float lanes[VL];
    v_store(lanes, v_barrier(a));
    return bits(lanes[0]);
}

/* a = 1 + 2^-12: a * a = 1 + 2^-11 + 2^-24 is half an ulp above 1 + 2^-11 and rounds to it
 * (ties to even). So a * a - (1 + 2^-11) is 0 with two roundings and 2^-24 with one. */
static const float factor = 0x1.001p0f, minus_rounded_square = -0x1.002p0f;

static bool contracts(void)
{
    vf a = v_opaque(factor), b = v_opaque(factor), c = v_opaque(minus_rounded_square);
    return v_bits_of_first(v_mad(a, b, c)) != 0;
}

static bool contracts_in_expression(void)
{
    float a = opaque(factor), b = opaque(factor), c = opaque(minus_rounded_square);
    return bits(a * b + c) != 0;
}

static bool contracts_across_statements(void)
{
    float a = opaque(factor), b = opaque(factor), c = opaque(minus_rounded_square);
    float product = a * b;
    return bits(product + c) != 0;
}

/* TwoSum (Knuth): the error of 1 + 2^-30 is 2^-30; in real arithmetic the formula is 0. */
static bool reassociates(void)
{
    vf a = v_opaque(1.0f), b = v_opaque(0x1p-30f);
    vf sum = v_add(a, b), b_rounded = v_sub(sum, a), a_rounded = v_sub(sum, b_rounded);
    vf error = v_add(v_sub(a, a_rounded), v_sub(b, b_rounded));
    return v_bits_of_first(error) == 0;
}

/* Adding and subtracting 1.5 * 2^23 rounds to an integer, unless the two constants meet. */
static bool deletes_rounding(void)
{
    vf x = v_opaque(2.75f), magic = v_set1(0x1.8p23f);
    return v_bits_of_first(v_sub(v_add(x, magic), magic)) != bits(3.0f);
}

/* Returns a NaN made from its bits, because a policy may assume that no constant is a NaN. */
static inline vf v_nan(void) { return v_barrier(v_float(vi_set1(0x7fc00000))); }

static bool honours_nan(void)
{
    vf x = v_nan();
    return m_any(v_unord(x, x));
}

static bool honours_nan_in_expression(void)
{
    float lanes[VL];
    v_store(lanes, v_nan());
    float x = opaque(lanes[0]);
    return x != x;
}

/* FTZ would lose the first product, DAZ the second. */
static bool honours_subnormals(void)
{
    enum { FTZ = 0x8000, DAZ = 0x0040 };
    vf made = v_mul(v_opaque(0x1p-100f), v_opaque(0x1p-49f));
    vf kept = v_mul(v_opaque(0x1p-149f), v_opaque(1.0f));
    return !(_mm_getcsr() & (FTZ | DAZ)) && v_bits_of_first(made) == 1 &&
           v_bits_of_first(kept) == 1;
}

static void run(struct probe_result *r)
{
    *r = (struct probe_result){
        .contracts = contracts(),
        .contracts_in_expression = contracts_in_expression(),
        .contracts_across_statements = contracts_across_statements(),
        .reassociates = reassociates(),
        .deletes_rounding = deletes_rounding(),
        .honours_nan = honours_nan(),
        .honours_nan_in_expression = honours_nan_in_expression(),
        .honours_subnormals = honours_subnormals(),
    };
}

const struct probe KERNEL = {.run = run};
