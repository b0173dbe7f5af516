// SPDX-License-Identifier: MIT
/* y[i] = f(x[i]), one call per element, for functions built from those of the C library. The files
 * that include this declare the library's functions themselves, because <math.h>'s declarations let
 * -ffast-math choose libmvec instead. */
#ifndef EACH_FLOAT_H
#define EACH_FLOAT_H

#include "kernel.h"

static inline void each_float(const struct job *j, float (*f)(float))
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        for (size_t i = 0; i < j->n; i++) y[i] = f(x[i]);
    }
}

#endif
