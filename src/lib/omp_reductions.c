/* logsumexp and moments with threads. */
#include "lib/omp.h"
#include "ulp_omp.h"

DECLARE_KERNELS(logsumexp, f32);
DECLARE_KERNELS(logsumexp, bf16);
DECLARE_KERNELS(logsumexp, f16);
DECLARE_KERNELS(moments, f32);
DECLARE_KERNELS(moments, bf16);
DECLARE_KERNELS(moments, f16);

int ulp_omp_logsumexp_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                          float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_logsumexp_f32,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 1,
        .workspace = {workspace, workspace_bytes},
        .is_optional = true};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_logsumexp_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                           float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_logsumexp_bf16,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 1,
        .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_logsumexp_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                          float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_logsumexp_f16,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 1,
        .workspace = {workspace, workspace_bytes}};
    return ulp_omp_run(threads, &c);
}

int ulp_omp_moments_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                        float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_moments_f32,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 2,
        .workspace = {workspace, workspace_bytes},
        .is_optional = true};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_moments_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                         float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_moments_bf16,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 2,
        .workspace = {workspace, workspace_bytes},
        .is_optional = true};
    return ulp_omp_run(threads, &c);
}
int ulp_omp_moments_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                        float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    struct omp_call c = {
        .kernels = &ulp_kernels_moments_f16,
        .job = {.rows = rows, .n = n, .x = x, .x_stride = x_stride, .y = y, .y_stride = y_stride},
        .columns = 2,
        .workspace = {workspace, workspace_bytes},
        .is_optional = true};
    return ulp_omp_run(threads, &c);
}
