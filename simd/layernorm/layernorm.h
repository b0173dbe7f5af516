// SPDX-License-Identifier: MIT
/* The second half of every layernorm: y = (x - mean) rstd gamma + beta. */
#ifndef LAYERNORM_H
#define LAYERNORM_H

#include "moments.h"
#include "root.h"

/* An absent gamma counts as 1 and an absent beta as -0: t * 1 + -0 has the bits of t. */
static inline vf parameter(const float *p, size_t i, float absent)
{
    return p ? v_load(p + i) : v_set1(absent);
}
static inline vf parameter_part(const float *p, size_t i, size_t n, float absent)
{
    return p ? v_load_part(p + i, n, absent) : v_set1(absent);
}

/* Returns rstd by division and square root, not by the approximation rsqrt. A NaN variance stays
 * NaN. */
static inline float rstd_of(float variance, float eps)
{
    return 1.0f / root_of((variance < 0.0f ? 0.0f : variance) + eps);
}

static inline void normalise(const struct job *j, size_t r, struct moments m)
{
    float rstd = rstd_of(m.variance, j->eps);
    const element *x = row_of(j, r);
    const float *gamma = (const float *)j->gamma, *beta = (const float *)j->beta;
    element *y = (element *)j->y + r * j->y_stride;
    vf mean = v_set1(m.mean), scale = v_set1(rstd);
    size_t n = j->n, i = 0;
    for (; i + VL <= n; i += VL) {
        vf t = v_mul(v_sub(x_load(x + i), mean), scale);
        y_store(y + i, v_mad(t, parameter(gamma, i, 1.0f), parameter(beta, i, -0.0f)));
    }
    size_t rest = n - i;
    vf t = v_mul(v_sub(x_load_part(x + i, rest, 0.0f), mean), scale);
    vf g = parameter_part(gamma, i, rest, 1.0f), b = parameter_part(beta, i, rest, -0.0f);
    y_store_part(y + i, v_mad(t, g, b), rest);
    if (j->stats) {
        ((float *)j->stats)[2 * r] = m.mean;
        ((float *)j->stats)[2 * r + 1] = rstd;
    }
}

/* y = x rstd gamma, for rmsnorm. */
static inline void scale_row(const struct job *j, size_t r, float rstd)
{
    const element *x = row_of(j, r);
    element *y = (element *)j->y + r * j->y_stride;
    vf scale = v_set1(rstd);
    size_t n = j->n, i = 0;
    for (; i + VL <= n; i += VL)
        y_store(y + i,
                v_mul(v_mul(x_load(x + i), scale), parameter((const float *)j->gamma, i, 1.0f)));
    vf t = v_mul(x_load_part(x + i, n - i, 0.0f), scale);
    y_store_part(y + i, v_mul(t, parameter_part((const float *)j->gamma, i, n - i, 1.0f)), n - i);
}

#endif
