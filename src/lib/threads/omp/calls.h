// SPDX-License-Identifier: MIT
/* Makes functions.c the functions of ulp_omp.h: OpenMP's threads. */
#ifndef ULP_LIB_CALLS_H
#define ULP_LIB_CALLS_H

#include "lib/omp.h"
#include "ulp_omp.h"

#define FUNCTION(op) NAMED(ulp_omp_, op)
#define THREADS int threads,
#define PASS_THREADS threads,
#define SHARED_WORKSPACE , void *workspace, size_t workspace_bytes
#define SHARED_ROOM                                                                                \
    {                                                                                              \
        workspace, workspace_bytes                                                                 \
    }
#define CALL(call) ulp_omp_call(threads, call)
#define CALL_ELEMENTWISE(kernels, n, x, y) ulp_omp_call_elementwise(threads, kernels, n, x, y)

#endif
