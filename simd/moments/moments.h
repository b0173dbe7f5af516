// SPDX-License-Identifier: MIT
/* The moments of a row and how they are stored, for all kernels of moments and layernorm. */
#ifndef MOMENTS_H
#define MOMENTS_H

#include "kernel.h"
#include "storage.h"
#include "vec.h"

struct moments {
    float mean, variance; /* ddof 0 */
};

/* Returns n as a float, converted from a signed integer, which takes one instruction on every
 * ISA. */
static inline float to_float(size_t n) { return (float)(ptrdiff_t)n; }

static inline const element *row_of(const struct job *j, size_t r)
{
    return (const element *)j->x + r * j->x_stride;
}

static inline void store_moments(const struct job *j, size_t r, struct moments m)
{
    float *y = (float *)j->y + r * j->y_stride;
    y[0] = m.mean;
    y[1] = m.variance;
}

#endif
