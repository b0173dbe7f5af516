// SPDX-License-Identifier: MIT
/* The loop and the description of a kernel of correct.h, which includes this file behind its
 * definitions. */
#ifndef CORRECT_UNARY_H
#define CORRECT_UNARY_H

#include "row.h"

/* Returns a in all lanes: in vectors through a barrier (kept_set1()), in scalar code as the operand
 * that an instruction has room for. */
static inline vi limit_set1(int32_t a) { return VL == 1 ? vi_set1(a) : kept_set1(a); }

/* Returns whether some x is outside of [LEAST, MOST), by integers: -ffast-math deletes comparisons
 * that only a NaN fails. POSITIVE: negative x are outside; ABOVE_MINUS_ONE: those from -1 on;
 * otherwise the magnitude counts alone. */
static inline int any_elsewhere(vf x)
{
#ifdef ABOVE_MINUS_ONE
    /* Without its sign a negative number has the bits of its magnitude; other numbers get the sign,
     * and are below those. */
    vm is_below = vi_lt(limit_set1(0x3f7fffff), vi_add(v_bits(x), limit_set1(INT32_MIN)));
    return m_any(m_or(vi_lt(limit_set1(MOST_BITS - 1), v_bits(x)), is_below));
#else
#ifdef POSITIVE
    vi bits = v_bits(x);
#else
    vi bits = vi_and(v_bits(x), limit_set1(MAGNITUDE));
#endif
    /* Whether bits - LEAST_BITS, as an unsigned number, reaches MOST_BITS - LEAST_BITS. Adding the
     * sign bit's weight to both makes this a comparison of signed integers. */
    uint32_t sign = LEAST_BITS ? 0x80000000u : 0;
    if (LEAST_BITS) bits = vi_add(bits, limit_set1((int32_t)(sign - LEAST_BITS)));
    return m_any(vi_lt(limit_set1((int32_t)(sign + MOST_BITS - LEAST_BITS - 1)), bits));
#endif
}

static __attribute__((noinline)) vf y_with_others(vf x, vf y)
{
    y = y_elsewhere(x, y);
#ifdef KEEPS_SIGN
    y = i_if_less(x, 1, x, y);
#endif
    return i_if_beyond(x, INFINITY_BITS, keep(v_float(vi_set1(NAN_BITS))), y);
}

static inline vf y_of(vf x)
{
#ifdef TESTS_MIDDLE
    /* Hard inputs may be anywhere: their doubles are in the middle between two floats. */
    int is_middle = 0;
    vf y = vf_by_doubles_tested(x, dr_value, &is_middle);
#else
    const int is_middle = 0;
    vf y = vf_by_doubles(x, dr_value);
#endif
#ifdef KEEPS_SIGN /* of a zero; other results have it already */
    y = keep(v_float(vi_or(v_bits(y), vi_and(v_bits(x), limit_set1(INT32_MIN)))));
#endif
    return is_middle | any_elsewhere(x) ? y_with_others(x, y) : y;
}
static inline void unary_row(const struct job *j, const element *x, element *y)
{
    size_t i = 0, n = j->n;
    for (; i + VL <= n; i += VL) y_store(y + i, y_of(x_load(x + i)));
    if (i < n) y_store_part(y + i, y_of(x_load_part(x + i, n - i, 0.0f)), n - i);
}

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = OP,
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .promise = {.ulp_off = 0.5001, .ulp_fused = 0.5001, .specials = true},
    .run = run,
};

#endif
