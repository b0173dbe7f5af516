// SPDX-License-Identifier: MIT
/* Rows of IEEE binary16: a storage type for which functions.c and kernels.c are compiled. */
#ifndef ULP_LIB_TYPE_H
#define ULP_LIB_TYPE_H

#include "ulp.h"

typedef ulp_f16 element;
#define TYPED(name) name##_f16
#define NAMED(prefix, op) prefix##op##_f16
/* The functions of arrays: F(op) for each. */
#define ARRAY_FUNCTIONS(F) F(exp) F(log)
/* Whether kernels widen rows to float, for which they need room. */
enum { IS_WIDENED = 1 };

#endif
