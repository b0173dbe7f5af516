/* softmax and log_softmax with threads. */
#include "lib/omp.h"
#include "ulp_omp.h"

DECLARE_KERNELS(softmax, f32);
DECLARE_KERNELS(softmax, bf16);
DECLARE_KERNELS(softmax, f16);

static int softmax(int threads, const struct kernels *k, struct job j, struct workspace workspace)
{
    struct omp_call c = {.kernels = k, .job = j, .workspace = workspace};
    return ulp_omp_run(threads, &c);
}

int ulp_omp_softmax_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                        float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return softmax(threads, &ulp_kernels_softmax_f32, j,
                   (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_softmax_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                         ulp_bf16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return softmax(threads, &ulp_kernels_softmax_bf16, j,
                   (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_softmax_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                        ulp_f16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return softmax(threads, &ulp_kernels_softmax_f16, j,
                   (struct workspace){workspace, workspace_bytes});
}

int ulp_omp_log_softmax_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                            float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    j.log_output = true;
    return softmax(threads, &ulp_kernels_softmax_f32, j,
                   (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_log_softmax_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                             ulp_bf16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    j.log_output = true;
    return softmax(threads, &ulp_kernels_softmax_bf16, j,
                   (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_log_softmax_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                            ulp_f16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    j.log_output = true;
    return softmax(threads, &ulp_kernels_softmax_f16, j,
                   (struct workspace){workspace, workspace_bytes});
}
