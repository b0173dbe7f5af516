// SPDX-License-Identifier: MIT
/* exp and log, one element after the other: the bits of exp_invariant.c and log_invariant.c. */
#ifndef REFERENCE_ELEMENTWISE_H
#define REFERENCE_ELEMENTWISE_H

#include <math.h>

#include "kernel.h"

/* Returns the sum of c[i] x^i, evaluated from the last coefficient down. */
static inline float reference_polynomial(const float *c, int degree, float x)
{
    float p = c[degree];
    for (int i = degree - 1; i >= 0; i--) p = fmaf(p, x, c[i]);
    return p;
}

static inline float reference_exp_of(float x)
{
    static const float c[] = {0x1.000006p-1f, 0x1.5554d4p-3f, 0x1.55442ep-5f, 0x1.11f3d6p-7f,
                              0x1.7fab3p-10f};
    if (isnan(x)) return NAN;
    x = fmaxf(-104.0f, fminf(89.0f, x));
    float n = rintf(fmaf(x, 0x1.715476p+0f, -0x1.5c01a4p-4f));
    float r = fmaf(-n, 0x1.0bfbe8p-15f, fmaf(-n, 0x1.62ep-1f, x));
    return ldexpf(1.0f + fmaf(r * r, reference_polynomial(c, 4, r), r), (int)n);
}

static inline float reference_log_of(float x)
{
    static const float c[] = {0x1.55555ap-2f,  -0x1.00006ep-2f, 0x1.99975ep-3f,
                              -0x1.5519ccp-3f, 0x1.246456p-3f,  -0x1.04af5p-3f,
                              0x1.df10fcp-4f,  -0x1.74d5dp-4f,  0x1.33c87p-5f};
    int e;
    if (isnan(x) || x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return x;
    float m = frexpf(x, &e); /* 1/2 <= m < 1 */
    if (m < 0.75f) m *= 2, e--;
    float f = m - 1, k = (float)e, f2 = f * f;
    float s = fmaf(f2, -0.5f, fmaf(f2 * f, reference_polynomial(c, 8, f), k * 0x1.0bfbe8p-15f));
    return fmaf(k, 0x1.62ep-1f, f + s);
}

static inline void reference_exp(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++)
            reference_out(j, r)[i] = reference_exp_of(reference_in(j, r)[i]);
}
static inline void reference_log(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++)
            reference_out(j, r)[i] = reference_log_of(reference_in(j, r)[i]);
}

#endif
