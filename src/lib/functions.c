// SPDX-License-Identifier: MIT
/* Every function of a storage type: of ulp.h with one thread, and, compiled with -fopenmp, of
 * ulp_omp.h. The include path chooses the type ("type.h", src/lib/types). */
#include "lib/call.h"
#include "type.h"

#ifdef _OPENMP
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
#else
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

/* The kernels of the type (src/lib/kernels.c). */
extern const struct kernels TYPED(ulp_kernels_softmax), TYPED(ulp_kernels_logsumexp),
    TYPED(ulp_kernels_moments), TYPED(ulp_kernels_layernorm), TYPED(ulp_kernels_rmsnorm);
#define DECLARE_KERNELS(op) extern const struct kernels TYPED(ulp_kernels_##op);
ARRAY_FUNCTIONS(DECLARE_KERNELS)

/* ---- Functions with a row of results per row ------------------------------------------------- */

int FUNCTION(softmax)(THREADS size_t rows, size_t n, const element *x, size_t x_stride, element *y,
                      size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct call c = {.kernels = &TYPED(ulp_kernels_softmax),
                     .job = ulp_job(rows, n, x, x_stride, y, y_stride),
                     .workspace = {workspace, workspace_bytes}};
    return CALL(&c);
}

int FUNCTION(log_softmax)(THREADS size_t rows, size_t n, const element *x, size_t x_stride,
                          element *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct call c = {.kernels = &TYPED(ulp_kernels_softmax),
                     .job = ulp_job(rows, n, x, x_stride, y, y_stride),
                     .workspace = {workspace, workspace_bytes}};
    c.job.log_output = true;
    return CALL(&c);
}

static int norm(THREADS struct call c, const float *gamma, const float *beta, float eps,
                float *stats)
{
    c.job.gamma = gamma;
    c.job.beta = beta;
    c.job.eps = eps;
    c.job.stats = stats;
    int status = ulp_check_norm(&c);
    return status ? status : CALL(&c);
}

int FUNCTION(layernorm)(THREADS size_t rows, size_t n, const element *x, size_t x_stride,
                        const float *gamma, const float *beta, float eps, element *y,
                        size_t y_stride, float *stats, void *workspace, size_t workspace_bytes)
{
    struct call c = {.kernels = &TYPED(ulp_kernels_layernorm),
                     .job = ulp_job(rows, n, x, x_stride, y, y_stride),
                     .workspace = {workspace, workspace_bytes}};
    return norm(PASS_THREADS c, gamma, beta, eps, stats);
}

int FUNCTION(rmsnorm)(THREADS size_t rows, size_t n, const element *x, size_t x_stride,
                      const float *gamma, float eps, element *y, size_t y_stride, float *rstd,
                      void *workspace, size_t workspace_bytes)
{
    struct call c = {.kernels = &TYPED(ulp_kernels_rmsnorm),
                     .job = ulp_job(rows, n, x, x_stride, y, y_stride),
                     .workspace = {workspace, workspace_bytes}};
    return norm(PASS_THREADS c, gamma, NULL, eps, rstd);
}

/* ---- Functions with some floats per row ------------------------------------------------------ */

int FUNCTION(logsumexp)(THREADS size_t rows, size_t n, const element *x, size_t x_stride, float *y,
                        size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct call c = {.kernels = &TYPED(ulp_kernels_logsumexp),
                     .job = ulp_job(rows, n, x, x_stride, y, y_stride),
                     .columns = 1,
                     .workspace = {workspace, workspace_bytes},
                     .needs_no_room = !IS_WIDENED};
    return CALL(&c);
}

int FUNCTION(moments)(THREADS size_t rows, size_t n, const element *x, size_t x_stride, float *y,
                      size_t y_stride SHARED_WORKSPACE)
{
    struct call c = {.kernels = &TYPED(ulp_kernels_moments),
                     .job = ulp_job(rows, n, x, x_stride, y, y_stride),
                     .columns = 2,
                     .workspace = SHARED_ROOM,
                     .needs_no_room = true};
    return CALL(&c);
}

/* ---- Functions of an array ------------------------------------------------------------------- */

#define ARRAY_FUNCTION(op)                                                                         \
    int FUNCTION(op)(THREADS size_t n, const element *x, element *y)                               \
    {                                                                                              \
        return CALL_ELEMENTWISE(&TYPED(ulp_kernels_##op), n, x, y);                                \
    }
ARRAY_FUNCTIONS(ARRAY_FUNCTION)
