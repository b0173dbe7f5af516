// SPDX-License-Identifier: MIT
/* Rows of float: a storage type for which functions.c and kernels.c are compiled. */
#ifndef ULP_LIB_TYPE_H
#define ULP_LIB_TYPE_H

#include "ulp.h"

typedef float element;
#define TYPED(name) name##_f32
#define NAMED(prefix, op) prefix##op##_f32
/* The functions of arrays: F(op) for each. */
#define ARRAY_FUNCTIONS(F) F(exp) F(log)
/* Whether kernels widen rows to float, for which they need room. */
enum { IS_WIDENED = 0 };

#endif
