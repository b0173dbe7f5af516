/* Calls whose rows threads share. */
#ifndef ULP_LIB_OMP_H
#define ULP_LIB_OMP_H

#include "lib/call.h"

struct omp_call {
    const struct kernels *kernels;
    struct job job;
    size_t columns; /* floats of y per row; 0: y has x's shape */
    struct workspace workspace;
    bool is_optional; /* the workspace, whatever n is */
    bool in_place;    /* set by ulp_omp_run() */
};

/* Both return an enum ulp_status. threads = 0: as many as OpenMP would use. */
int ulp_omp_run(int threads, struct omp_call *call);
int ulp_omp_array(int threads, const struct kernels *k, size_t n, const void *x, void *y);

#endif
