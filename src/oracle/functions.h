// SPDX-License-Identifier: MIT
/* Functions of one element in fp64, by SLEEF's functions of one fixed flavour, as the `row` of
 * their oracles. Their errors are a few 2^-53 of the result; special values are those of
 * include/kernel.h. */
#ifndef ULPLAB_FUNCTIONS_H
#define ULPLAB_FUNCTIONS_H

#include "kernel_reference.h"

typedef void function_row(const float *x, size_t n, const struct parameters *, double *y,
                          struct oracle_row *facts);
function_row exp2_row, expm1_row, log1p_row, tanh_row, erf_row, silu_row, gelutanh_row,
    softplus_row, sin_row, cos_row, rsqrt_row;

#endif
