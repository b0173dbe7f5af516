/* logsumexp: one result per row. */
#include "lib/call.h"
#include "ulp.h"

DECLARE_KERNELS(logsumexp, f32);
DECLARE_KERNELS(logsumexp, bf16);
DECLARE_KERNELS(logsumexp, f16);
const struct kernels ulp_kernels_logsumexp_f32 = KERNELS(logsumexp, f32, float);
const struct kernels ulp_kernels_logsumexp_bf16 = KERNELS(logsumexp, bf16, ulp_bf16);
const struct kernels ulp_kernels_logsumexp_f16 = KERNELS(logsumexp, f16, ulp_f16);

enum { COLUMNS = 1 }; /* results per row */

/* Rows of floats need no room to be widened. */
int ulp_logsumexp_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                      size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    (void)workspace, (void)workspace_bytes;
    return ulp_call_reduction(&ulp_kernels_logsumexp_f32, &j, COLUMNS, NULL);
}
int ulp_logsumexp_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                       size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_reduction(&ulp_kernels_logsumexp_bf16, &j, COLUMNS,
                              &(struct workspace){workspace, workspace_bytes});
}
int ulp_logsumexp_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                      size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_reduction(&ulp_kernels_logsumexp_f16, &j, COLUMNS,
                              &(struct workspace){workspace, workspace_bytes});
}
