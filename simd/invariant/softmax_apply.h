// SPDX-License-Identifier: MIT
/* The results of a row: y = e f, where f is the reciprocal of its sum, or y = x - log. f and log
 * are double-floats: rounding either to one float would cost another ulp. */
#ifndef SOFTMAX_APPLY_H
#define SOFTMAX_APPLY_H

#include "invariant.h"

struct double_float {
    float high, low;
};
static inline struct double_float double_float_of(double a)
{
    float high = f_of(a);
    return (struct double_float){high, f_of(d_sub(a, d_of(high)))};
}
static inline struct double_float reciprocal(double total)
{
    return double_float_of(d_div(1.0, total));
}

static void fill_row(float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) y[i] = a;
}

/* The operation on each element. */
typedef vf element_op(vf a, vf high, vf low);
static inline vf multiply_by(vf e, vf high, vf low) { return i_fma(e, high, i_mul(e, low)); }
static inline vf subtract_from(vf x, vf high, vf low) { return i_sub(i_sub(x, high), low); }

/* y[i] = op(a[i]); a may be y. Each iteration has two virtual registers, so that the loop's
 * alignment does not matter. */
ALWAYS_INLINE void map_row(element_op *op, const float *a, float *y, size_t n,
                           struct double_float f)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES)
        for (size_t k = i; k < i + 2 * LANES; k += VL) v_store(y + k, op(v_load(a + k), high, low));
    for (; i + VL <= n; i += VL) v_store(y + i, op(v_load(a + i), high, low));
    if (i < n) v_store_part(y + i, op(v_load_part(a + i, n - i, 0.0f), high, low), n - i);
}
/* Computes the n elements before y's first cache line, or the whole of a row that reaches none. */
ALWAYS_INLINE void map_head(element_op *op, const float *a, float *y, size_t n,
                            struct double_float f)
{
    float head[LINE];
    int is_short = n < LINE;
    map_row(op, a, is_short ? head : y, n, f);
    if (is_short) store_head(y, head, n);
}
/* map_row() by streaming stores, while it prefetches `next` unless that is NULL. */
ALWAYS_INLINE void map_row_streaming(element_op *op, const float *a, float *y, size_t n,
                                     struct double_float f, const float *next)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = floats_before_line(y, n);
    map_head(op, a, y, i, f);
    for (; i + LINE <= n; i += LINE) {
        if (next) __builtin_prefetch(next + i, 0, 2);
        for (size_t k = i; k < i + LINE; k += VL) i_stream(y + k, op(v_load(a + k), high, low));
    }
    map_row(op, a + i, y + i, n - i, f);
}

ALWAYS_INLINE void scale_row(const float *e, float *y, size_t n, struct double_float f)
{
    map_row(multiply_by, e, y, n, f);
}
ALWAYS_INLINE void scale_row_streaming(const float *e, float *y, size_t n, struct double_float f)
{
    map_row_streaming(multiply_by, e, y, n, f, NULL);
}

#endif
