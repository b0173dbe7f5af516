// SPDX-License-Identifier: MIT
/* Functions of one element in double-double. Their relative errors are below 2^-95; special values
 * are those of include/kernel.h. */
#ifndef ULPLAB_F64_FUNCTIONS_H
#define ULPLAB_F64_FUNCTIONS_H

#include "oracle/f64_arithmetic.h"

typedef struct f64_value f64_function(double x);
/* Returns the function of that name, or NULL. */
f64_function *f64_function_find(const char *op);

/* Computes the constants of this file; to be called before the two below. */
void f64_functions_begin(void);
/* Returns m and writes k: exp(d) = m 2^k, for |d| <= 1100. */
struct double_double f64_exp(struct double_double d, int *k);
/* Returns log(1 + a) for a >= 0. */
struct f64_wide f64_log1p(struct f64_wide a);

#endif
