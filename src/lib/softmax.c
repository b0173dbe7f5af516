/* softmax and log_softmax: one kernel. */
#include "lib/call.h"
#include "ulp.h"

DECLARE_KERNELS(softmax, f32);
DECLARE_KERNELS(softmax, bf16);
DECLARE_KERNELS(softmax, f16);
const struct kernels ulp_kernels_softmax_f32 = KERNELS(softmax, f32, float);
const struct kernels ulp_kernels_softmax_bf16 = KERNELS(softmax, bf16, ulp_bf16);
const struct kernels ulp_kernels_softmax_f16 = KERNELS(softmax, f16, ulp_f16);

int ulp_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                    size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_rows(&ulp_kernels_softmax_f32, &j,
                         &(struct workspace){workspace, workspace_bytes});
}
int ulp_softmax_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, ulp_bf16 *y,
                     size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_rows(&ulp_kernels_softmax_bf16, &j,
                         &(struct workspace){workspace, workspace_bytes});
}
int ulp_softmax_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, ulp_f16 *y,
                    size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_rows(&ulp_kernels_softmax_f16, &j,
                         &(struct workspace){workspace, workspace_bytes});
}

int ulp_log_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                        size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    j.log_output = true;
    return ulp_call_rows(&ulp_kernels_softmax_f32, &j,
                         &(struct workspace){workspace, workspace_bytes});
}
int ulp_log_softmax_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, ulp_bf16 *y,
                         size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    j.log_output = true;
    return ulp_call_rows(&ulp_kernels_softmax_bf16, &j,
                         &(struct workspace){workspace, workspace_bytes});
}
int ulp_log_softmax_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, ulp_f16 *y,
                        size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    j.log_output = true;
    return ulp_call_rows(&ulp_kernels_softmax_f16, &j,
                         &(struct workspace){workspace, workspace_bytes});
}
