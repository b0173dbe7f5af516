// SPDX-License-Identifier: MIT
/* Calls whose rows are shared by threads. */
#ifndef ULP_LIB_OMP_H
#define ULP_LIB_OMP_H

#include "lib/call.h"

/* Check and run a call; they return an enum ulp_status. threads = 0: as many as OpenMP would
 * use. */
int ulp_omp_call(int threads, struct call *c);
int ulp_omp_call_elementwise(int threads, const struct kernels *k, size_t n, const void *x,
                             void *y);

#endif
