// SPDX-License-Identifier: MIT
/* Every invariant operation by plain loops: the bits that the kernels of this folder give on any
 * ISA, from any compiler under any policy. This code defines what is added to what and what is
 * rounded when; the kernels compute the same faster. README.md works one row through. Each function
 * has the job of a kernel's run(): rows x n elements, with strides and parameters
 * (include/kernel.h).
 *
 * It needs strict compilation (-ffp-contract=off): a * b + c rounds twice, fma() once. */
#ifndef INVARIANT_REFERENCE_H
#define INVARIANT_REFERENCE_H

#include "kernel.h"
#include "reference_exp.h"
#include "reference_moments.h"

static inline const float *reference_in(const struct job *j, size_t r)
{
    return (const float *)j->x + r * j->x_stride;
}
static inline float *reference_out(const struct job *j, size_t r)
{
    return (float *)j->y + r * j->y_stride;
}

static inline void reference_softmax(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        if (j->log_output)
            log_softmax_row(reference_in(j, r), j->n, reference_out(j, r));
        else
            softmax_row(reference_in(j, r), j->n, reference_out(j, r));
}
static inline void reference_logsumexp(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        *reference_out(j, r) = logsumexp_row(reference_in(j, r), j->n);
}
static inline void reference_moments(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) moments_row(reference_in(j, r), j->n, reference_out(j, r));
}
static inline void reference_layernorm(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        layernorm_row(reference_in(j, r), j->n, j->eps, j->gamma, j->beta, reference_out(j, r),
                      j->stats ? j->stats + 2 * r : NULL);
}
static inline void reference_rmsnorm(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        rmsnorm_row(reference_in(j, r), j->n, j->eps, j->gamma, reference_out(j, r),
                    j->stats ? j->stats + r : NULL);
}

#endif
