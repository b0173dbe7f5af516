// SPDX-License-Identifier: MIT
/* E8M0: a power of two in a byte, the scale of a microscaling (MX) block of numbers.
 *
 *   code = clamp(ceil(log2(|x| + eps)), -127, 127) + 127,   eps = job.eps (1e-7 in the report)
 *
 * x: f32 [rows, n]; y: uint8_t [rows, n]. The sum is rounded to f32, as in the reported code.
 * Everything after it is exact except the logarithm: ceil turns an error of one ulp in it into a
 * whole step of the code. For the case study src/cases/e8m0_ceil_log2.c. */
#ifndef E8M0_H
#define E8M0_H

#include "codes.h"
#include "row.h"

/* Returns the code from log2(v), computed as the equation says. */
static inline vi code_of_log2(vf l)
{
    vf c = v_min(v_max(v_ceil(l), v_set1(-127.0f)), v_set1(127.0f));
    return v_to_int(v_add(c, v_set1(127.0f)));
}

ALWAYS_INLINE void e8m0_row(const float *x, uint8_t *y, size_t n, vf eps, vi (*code)(vf))
{
    size_t i = 0;
    for (; i + K * VL <= n; i += K * VL) {
        vi c[K];
        for (size_t k = 0; k < K; k++) c[k] = code(v_add(v_abs(v_load(x + i + k * VL)), eps));
        for (size_t k = 0; k < K; k++) codes_store(y + i + k * VL, c[k]);
    }
    for (; i < n; i += VL) {
        size_t left = n - i < VL ? n - i : VL;
        codes_store_part(y + i, code(v_add(v_abs(v_load_upto(x + i, left, 1.0f)), eps)), left);
    }
}

ALWAYS_INLINE void e8m0_rows(const struct job *j, vi (*code)(vf))
{
    for (size_t r = 0; r < j->rows; r++)
        e8m0_row((const float *)j->x + r * j->x_stride, (uint8_t *)j->y + r * j->y_stride, j->n,
                 v_set1(j->eps), code);
}

#endif
