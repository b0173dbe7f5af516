// SPDX-License-Identifier: MIT
/* Makes a kernel from a plain C function that turns a row into a row or into one value. The
 * compiler and the policy decide what its loops become: vectors, FMA, sums in another order. */
#ifndef ULPLAB_PLAIN_KERNEL_H
#define ULPLAB_PLAIN_KERNEL_H

#include "kernel.h"

/* Calls f for each row; f writes y[0 .. n) from x[0 .. n). */
static inline void plain_rows(const struct job *j, void (*f)(const float *x, float *y, size_t n))
{
    for (size_t r = 0; r < j->rows; r++)
        f((const float *)j->x + r * j->x_stride, (float *)j->y + r * j->y_stride, j->n);
}

/* Calls f for each row, and stores the value that it returns for x[0 .. n). */
static inline void plain_values(const struct job *j, float (*f)(const float *x, size_t n))
{
    for (size_t r = 0; r < j->rows; r++)
        ((float *)j->y)[r * j->y_stride] = f((const float *)j->x + r * j->x_stride, j->n);
}

#endif
