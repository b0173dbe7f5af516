// SPDX-License-Identifier: MIT
/* A kernel that copies its rows, and its reference: what the files share that get one thing wrong.
 */
#ifndef COPY_H
#define COPY_H

#ifdef REFERENCE
#include "kernel_reference.h"

static inline void copy_row(const float *x, size_t n, const struct parameters *p, double *y,
                            struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

#else
#include "plain_kernel.h"

static inline void copy(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i];
}

static inline void copy_rows(const struct job *j)
{
    plain_rows(j, copy);
}

#define COPY_KERNEL(name, its_algorithm)                                                           \
    .op = name, .algorithm = its_algorithm, .dtype = "f32", .arithmetic = ARITHMETIC_POLICY,       \
    .expressions = true, .flops = 1, .bytes = 8
#endif

#endif
