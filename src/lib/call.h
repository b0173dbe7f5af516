// SPDX-License-Identifier: MIT
/* The path from arguments to a kernel. */
#ifndef ULP_LIB_CALL_H
#define ULP_LIB_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cpu.h"
#include "kernel.h"

/* The kernels of one operation and storage type. */
struct kernels {
    const struct kernel *of[ISAS];
    size_t element_bytes, stats; /* stats: floats of statistics per row */
};

/* A caller's workspace; NULL and 0: the stack, for rows of at most ULP_STACK_N. */
struct workspace {
    void *data;
    size_t bytes;
};

/* A call of a function of rows. */
struct call {
    const struct kernels *kernels;
    struct job job;
    size_t columns; /* floats of y per row; 0: y has x's shape, and may be x */
    struct workspace workspace;
    bool needs_no_room; /* one thread's rows need no scratch, whatever n is */
    bool in_place;      /* y is x: set by ulp_check_matrices() */
};

/* Returns the job of a function of rows; its other members are zero. */
static inline struct job ulp_job(size_t rows, size_t n, const void *x, size_t x_stride, void *y,
                                 size_t y_stride)
{
    return (struct job){
        .rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride};
}

/* Check x and y; eps, gamma, beta and stats; the workspace, for `count` threads. They return an
 * enum ulp_status. */
int ulp_check_matrices(struct call *c);
int ulp_check_norm(const struct call *c);
int ulp_check_workspace(const struct workspace *w, size_t n, size_t count);

/* Runs a job of a call that has passed these checks; the job gets its scratch from the workspace or
 * the stack, and its caches. */
void ulp_run_rows(const struct call *c, struct job *j, const struct workspace *w);
/* Return the scratch in a workspace, and the room behind a job's scratch for a copy of a row of
 * x. */
float *ulp_scratch_of(const struct workspace *w);
void *ulp_copy_of(const struct job *j);

/* Check and run a call; x and y of ulp_call_elementwise() are arrays, and may be the same. */
int ulp_call(struct call *c);
int ulp_call_elementwise(const struct kernels *k, size_t n, const void *x, void *y);

/* Check and run a call whose rows are shared by threads; they return an enum ulp_status. threads =
 * 0: as many as OpenMP would use. */
int ulp_omp_call(int threads, struct call *c);
int ulp_omp_call_elementwise(int threads, const struct kernels *k, size_t n, const void *x,
                             void *y);

#endif
