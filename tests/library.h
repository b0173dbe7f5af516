// SPDX-License-Identifier: MIT
/* The functions of libulp, each called through a job as a kernel is, so that a loop can test them
 * all. */
#ifndef ULPLAB_TEST_LIBRARY_H
#define ULPLAB_TEST_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "ulp_omp.h"

struct library_function {
    const char *name;      /* name, such as log_softmax_bf16 */
    const char *op, *type; /* operation and type of the lab's kernel, such as softmax and bf16 */
    const char *algorithm; /* of that kernel */
    size_t columns;        /* floats of y per row; 0: y has the shape of x */
    size_t stats;          /* floats of statistics per row */
    bool needs_workspace;
    /* Calls the function with the job's rows, n, x, y, strides, gamma, beta, eps and stats. */
    int (*call)(const struct job *j, void *workspace, size_t bytes);
    int (*call_threads)(int threads, const struct job *j, void *workspace, size_t bytes);
};

extern const struct library_function library_functions[];
extern const size_t library_function_count;

/* The ISAs of the library. */
extern const char *const library_isas[];
enum { LIBRARY_ISAS = 4 };

#endif
