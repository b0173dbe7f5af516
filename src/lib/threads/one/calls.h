// SPDX-License-Identifier: MIT
/* Makes functions.c the functions of ulp.h: one thread. */
#ifndef ULP_LIB_CALLS_H
#define ULP_LIB_CALLS_H

#include "lib/call.h"

#define FUNCTION(op) NAMED(ulp_, op)
#define THREADS
#define PASS_THREADS
/* moments needs a workspace only where threads share a row. */
#define SHARED_WORKSPACE
#define SHARED_ROOM                                                                                \
    {                                                                                              \
        NULL, 0                                                                                    \
    }
#define CALL(call) ulp_call(call)
#define CALL_ELEMENTWISE(kernels, n, x, y) ulp_call_elementwise(kernels, n, x, y)

#endif
