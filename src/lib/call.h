/* From checked arguments to a kernel. */
#ifndef ULP_LIB_CALL_H
#define ULP_LIB_CALL_H

#include "cpu.h"
#include "kernel.h"

/* The kernels of one operation and storage type. */
struct kernels {
    const struct kernel *of[ISAS];
    size_t element_bytes;
};
/* KERNELS(softmax, bf16, ulp_bf16): struct kernels of the objects that scripts/lib.mk builds. */
#define KERNELS(op, type, element)                                                                 \
    {                                                                                              \
        {&ulp_kernel_##op##_##type##_nofma, &ulp_kernel_##op##_##type##_scalar,                    \
         &ulp_kernel_##op##_##type##_avx2, &ulp_kernel_##op##_##type##_avx512},                    \
            sizeof(element)                                                                        \
    }
#define DECLARE_KERNELS(op, type)                                                                  \
    extern const struct kernel ulp_kernel_##op##_##type##_nofma,                                   \
        ulp_kernel_##op##_##type##_scalar, ulp_kernel_##op##_##type##_avx2,                        \
        ulp_kernel_##op##_##type##_avx512

/* A caller's workspace; NULL and 0: the stack, for rows of at most ULP_STACK_N. */
struct workspace {
    void *data;
    size_t bytes;
};

/* x and y, of which the job says all: an enum ulp_status. What else the job has, its caller checks.
 * check_rows: y has x's shape and may be x. check_reduction: y has `columns` floats per row and
 * must not overlap x. check_workspace: for `count` threads. */
int check_rows(const struct kernels *k, const struct job *j, bool *in_place);
int check_reduction(const struct kernels *k, const struct job *j, size_t columns);
int check_workspace(const struct workspace *w, size_t n, size_t count);

/* What has passed these checks. */
float *scratch_of(const struct workspace *w);
void run_rows(const struct kernels *k, const struct job *job, bool in_place,
              const struct workspace *workspace);

/* Check and run; x and y of call_elementwise() are arrays, and may be the same. */
int call_rows(const struct kernels *k, const struct job *job, struct workspace workspace);
int call_reduction(const struct kernels *k, const struct job *job, size_t columns);
int call_elementwise(const struct kernels *k, size_t n, const void *x, void *y);

#endif
