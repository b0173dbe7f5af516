// SPDX-License-Identifier: MIT
/* y = kappa e^x, the exponential of softmax/invariant (exp_core.h), for `ulplab scan` alone: the
 * bounds of softmax build on its largest error. expkappa_terms.c and expkappa_chained.c hold those
 * of logsumexp/invariant. These kernels compute kappa e^x 2^(BIAS - N) with one N per row, and N
 * only changes the exponent: here each element has the N of its own magnitude, and the power of two
 * is taken back, exactly. x in [-87, 88.7], where the result is a normal number; elsewhere the
 * result is NaN and is not measured. Error, over all of these inputs and the same on every ISA and
 * compiler: at most 0.950493 ulp, at -0x1.4e18ccp+3. 8 bytes per element. */
// build: policies=off
#include <math.h>

#include "exp_core.h"
#include "scanned.h"

#ifndef SCANNED_ALGORITHM
#define SCANNED_ALGORITHM "invariant"
#define SCANNED_ULP INVARIANT_EXP_ULP
#define SCANNED_EXP(x, s, range_bits) exp_vector(x, NUMERATORS, s, range_bits)
#define LEAST -87.0f
#define GREATEST 88.7f
#endif

static inline vf y_of(vf x)
{
    vf low = v_set1(LEAST), high = v_set1(GREATEST);
    struct exp_scale s = exp_scale(0.0f, NULL);
    vf inside = i_max(low, v_min(high, x));
    vf N = exponents_of(inside);
    s.magic = magic_of(N);
    vi range_bits = vi_set1(0);
    vi power = vi_shl(vi_sub(v_to_int(N), vi_set1(BIAS)), 23);
    vf y = v_float(vi_add(v_bits(SCANNED_EXP(inside, &s, &range_bits)), power));
    return v_select(m_and(v_le(low, x), v_le(x, high)), y, v_set1(NAN));
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        size_t i = 0;
        for (; i + VL <= j->n; i += VL) v_store(y + i, y_of(v_load(x + i)));
        if (i < j->n) v_store_part(y + i, y_of(v_load_part(x + i, j->n - i, 0.0f)), j->n - i);
    }
}

const struct kernel KERNEL = {
    .op = "expkappa",
    .algorithm = SCANNED_ALGORITHM,
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 12,
    .bytes = 8,
    .lanes = VL,
    .exp_ulp = SCANNED_ULP,
    .study = true,
    .run = run,
};
