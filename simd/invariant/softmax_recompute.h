// SPDX-License-Identifier: MIT
/* softmax of very long rows: the sum in one pass, then quotients in another. That reads memory
 * twice and writes it once; storing numerators would take two of each.
 *
 *   e^x / total = 2^e f e^x, 1 <= f < 2
 *
 * is the exponential itself with e added to its exponents and f multiplied into its table. The
 * table's rounding replaces that of the quotient: 7 multiplications instead of 9.
 *
 * Quotients have smaller exponents than numerators. LEAST_EXPONENT keeps those of normal quotients
 * within the field, so that out_of_range() detects all others: powers are 2^LEAST_EXPONENT times
 * what the field says. Where it detects one, the block is computed 2^RAISED larger and multiplied
 * by TAKEN_DOWN at the end. Normal quotients come out the same; the others are at least 2^-209
 * before the product (LOWEST, GREATEST_TOTAL) and are rounded once. */
#ifndef SOFTMAX_RECOMPUTE_H
#define SOFTMAX_RECOMPUTE_H

#include "exp_row.h"
#include "softmax_apply.h"

#define TAKEN_DOWN 0x1p-96f
enum { LEAST_EXPONENT = 2, RAISED = 96, STRIDE = INTERLEAVED * VL > LINE ? INTERLEAVED *VL : LINE };

/* Multiplies the table by f, and returns e. */
static int32_t quotient_powers(int32_t powers[8], double total)
{
    uint64_t inverse = d_bits(d_div(1.0, total)), mantissa = inverse & 0xfffffffffffffu;
    double f = d_from_bits(mantissa | d_bits(1.0));
    for (int32_t j = 0; j < 8; j++) {
        int32_t upper = (j << 20) + BITS_OF_1;
        double power = d_of(f_from_bits((uint32_t)(kappa_powers[j] + upper)));
        powers[j] = (int32_t)f_bits(f_of(d_mul(power, f))) - upper + (LEAST_EXPONENT << 23);
    }
    return (int32_t)(inverse >> 52) - 1023;
}
/* Returns the scale of quotients, which keeps reading `powers`. */
static struct exp_scale quotient_scale(float N, int32_t e, const int32_t powers[8])
{
    struct exp_scale s = exp_scale(N, NULL);
    int32_t magic = (int32_t)MAGIC + 8 * (BIAS + 127 - LEAST_EXPONENT + e);
    s.magic = i_set1(f_fma(N, -8.0f, f_keep((float)magic)));
    s.powers = table8_load(powers);
    return s;
}

/* Computes `count` quotients in place, with alternating instructions. */
ALWAYS_INLINE void compute_quotients(vf *a, size_t count, int raised, const struct exp_scale *s,
                                     vi *range_bits)
{
    for (size_t k = 0; raised && k < count; k++) a[k] = i_max(s->lowest, a[k]);
    exp_interleaved(a, a, count, NUMERATORS, s, range_bits);
    for (size_t k = 0; raised && k < count; k++) a[k] = i_mul(a[k], i_set1(TAKEN_DOWN));
}
/* Computes the elements that surround whole cache lines, one vector at a time. */
ALWAYS_INLINE void store_quotients(const float *x, float *y, size_t n, int raised,
                                   const struct exp_scale *s, vi *range_bits)
{
    for (size_t i = 0; i < n; i += VL) {
        size_t left = lanes_before(i, n);
        vf a = v_load_part(x + i, left, x[i]);
        compute_quotients(&a, 1, raised, s, range_bits);
        v_store_part(y + i, a, left);
    }
}
/* Computes quotients with streaming stores, and returns whether one was out of range. */
ALWAYS_INLINE int stream_quotients(const float *x, float *y, size_t n, int raised,
                                   const struct exp_scale *scale)
{
    struct exp_scale s = *scale;
    vi range_bits = vi_set1(0);
    size_t i = floats_before_line(y, n);
    store_quotients(x, y, i, raised, &s, &range_bits);
    for (; i + STRIDE <= n; i += STRIDE) {
        if (STREAMS) prefetch_ahead(x + i, STRIDE);
        for (size_t k = i; k < i + STRIDE; k += INTERLEAVED * VL) {
            vf a[INTERLEAVED];
            for (size_t v = 0; v < INTERLEAVED; v++) a[v] = v_load(x + k + v * VL);
            compute_quotients(a, INTERLEAVED, raised, &s, &range_bits);
            for (size_t v = 0; v < INTERLEAVED; v++) i_stream(y + k + v * VL, a[v]);
        }
    }
    store_quotients(x + i, y + i, n - i, raised, &s, &range_bits);
    return out_of_range(range_bits);
}
NOINLINE int stream_quotients_directly(const float *x, float *y, size_t n,
                                       const struct exp_scale *s)
{
    return stream_quotients(x, y, n, 0, s);
}
NOINLINE void stream_quotients_raised(const float *x, float *y, size_t n, const struct exp_scale *s)
{
    stream_quotients(x, y, n, 1, s);
}

/* Computes the quotients of n elements of a row from its total. From the first block that was out
 * of range on, the rest is computed raised. So is a whole row that is computed in place, whose
 * elements cannot be read again. */
static void recompute_quotients(const float *x, float *y, size_t n, const struct row_total *t)
{
    int32_t powers[8], e = quotient_powers(powers, t->total);
    struct exp_scale direct = quotient_scale(t->N, e, powers),
                     raised = quotient_scale(t->N, e + RAISED, powers);
    int is_raised = x == y;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = block_length(n, i);
        if (!is_raised && stream_quotients_directly(x + i, y + i, length, &direct)) {
            i_stream_end(); /* streaming stores to the same lines, twice, arrive in order */
            is_raised = 1;
        }
        if (is_raised) stream_quotients_raised(x + i, y + i, length, &raised);
    }
}

static void recompute_row(const float *x, float *y, size_t n, enum masking *masking)
{
    struct row_total t = sum_row(x, n, sum_numerators, masking);
    if (f_bits(t.special)) {
        fill_row(y, n, f_from_bits(NAN_BITS));
        return;
    }
    if (t.shift != 0.0f) {
        subtract_max(x, y, n, t.shift);
        x = y;
    }
    recompute_quotients(x, y, n, &t);
}

#endif
