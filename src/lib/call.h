/* From checked arguments to a kernel. */
#ifndef ULP_LIB_CALL_H
#define ULP_LIB_CALL_H

#include "lib/cpu.h"
#include "kernel.h"

/* The kernels of one operation and storage type. */
struct kernels {
    const struct kernel *of[ISAS];
    size_t element_bytes, stats; /* stats: floats of statistics per row */
};
/* KERNELS(softmax, bf16, ulp_bf16): of the objects that scripts/lib.mk builds, declared by
 * DECLARE_KERNELS(softmax, bf16). */
#define KERNELS(op, type, element) KERNELS_WITH_STATS(op, type, element, 0)
#define KERNELS_WITH_STATS(op, type, element, stats)                                               \
    {                                                                                              \
        {&ulp_kernel_##op##_##type##_nofma, &ulp_kernel_##op##_##type##_scalar,                    \
         &ulp_kernel_##op##_##type##_avx2, &ulp_kernel_##op##_##type##_avx512},                    \
            sizeof(element), stats                                                                 \
    }
#define DECLARE_KERNELS(op, type)                                                                  \
    extern const struct kernel ulp_kernel_##op##_##type##_nofma,                                   \
        ulp_kernel_##op##_##type##_scalar, ulp_kernel_##op##_##type##_avx2,                        \
        ulp_kernel_##op##_##type##_avx512;                                                         \
    extern const struct kernels ulp_kernels_##op##_##type

/* What every function of rows is given; the rest of a job is zero. */
static inline struct job ulp_job(size_t rows, size_t n, const void *x, size_t x_stride, void *y,
                                 size_t y_stride)
{
    return (struct job){
        .rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride};
}

/* A caller's workspace; NULL and 0: the stack, for rows of at most ULP_STACK_N. */
struct workspace {
    void *data;
    size_t bytes;
};

/* x and y, of which the job says all: an enum ulp_status. What else the job has, its caller checks.
 * ulp_check_rows(): y has x's shape and may be x. ulp_check_reduction(): y has `columns` floats per
 * row and must not overlap x. ulp_check_workspace(): for `count` threads. ulp_call_reduction():
 * workspace is NULL where the kernel needs none. */
int ulp_check_rows(const struct kernels *k, const struct job *j, bool *in_place);
int ulp_check_reduction(const struct kernels *k, const struct job *j, size_t columns);
int ulp_check_workspace(const struct workspace *w, size_t n, size_t count);

/* What layernorm and rmsnorm are given besides: a job with it, whether it makes sense, and a call.
 */
struct job ulp_norm_job(struct job j, const float *gamma, const float *beta, float eps,
                        float *stats);
int ulp_check_norm(const struct kernels *k, const struct job *j);
int ulp_call_norm(const struct kernels *k, struct job j, struct workspace workspace);

/* What has passed these checks; the job gets its scratch and caches. ulp_scratch_of() is a job's
 * scratch, ulp_copy_of() the room behind it for a copy of a row of x. */
float *ulp_scratch_of(const struct workspace *w);
void *ulp_copy_of(const struct job *j);
void ulp_run_rows(const struct kernels *k, struct job *j, bool in_place,
                  const struct workspace *workspace);

/* Check and run; x and y of ulp_call_elementwise() are arrays, and may be the same. */
int ulp_call_rows(const struct kernels *k, struct job *j, const struct workspace *workspace);
int ulp_call_reduction(const struct kernels *k, struct job *j, size_t columns,
                       const struct workspace *workspace);
int ulp_call_elementwise(const struct kernels *k, size_t n, const void *x, void *y);

#endif
