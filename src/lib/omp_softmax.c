/* softmax and log_softmax with threads. */
#include "lib/omp.h"
#include "ulp_omp.h"

DECLARE_KERNELS(softmax, f32);
DECLARE_KERNELS(softmax, bf16);
DECLARE_KERNELS(softmax, f16);

int ulp_omp_softmax_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                        float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_softmax_f32,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 0,
        .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_softmax_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                         ulp_bf16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_softmax_bf16,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 0,
        .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_softmax_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                        ulp_f16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_softmax_f16,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 0,
        .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}

int ulp_omp_log_softmax_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                            float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {.kernels = &ulp_kernels_softmax_f32,
                         .job = {.rows = rows,
                                 .n = n,
                                 .x = x,
                                 .x_stride = x_stride,
                                 .y = y,
                                 .y_stride = y_stride,
                                 .log_output = true},
                         .columns = 0,
                         .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_log_softmax_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                             ulp_bf16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {.kernels = &ulp_kernels_softmax_bf16,
                         .job = {.rows = rows,
                                 .n = n,
                                 .x = x,
                                 .x_stride = x_stride,
                                 .y = y,
                                 .y_stride = y_stride,
                                 .log_output = true},
                         .columns = 0,
                         .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_log_softmax_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                            ulp_f16 *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {.kernels = &ulp_kernels_softmax_f16,
                         .job = {.rows = rows,
                                 .n = n,
                                 .x = x,
                                 .x_stride = x_stride,
                                 .y = y,
                                 .y_stride = y_stride,
                                 .log_output = true},
                         .columns = 0,
                         .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}
