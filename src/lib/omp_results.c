/* layernorm, rmsnorm, exp and log with threads. */
#include "lib/omp.h"
#include "ulp_omp.h"

DECLARE_KERNELS(layernorm, f32);
DECLARE_KERNELS(layernorm, bf16);
DECLARE_KERNELS(layernorm, f16);
DECLARE_KERNELS(rmsnorm, f32);
DECLARE_KERNELS(rmsnorm, bf16);
DECLARE_KERNELS(rmsnorm, f16);
DECLARE_KERNELS(exp, f32);
DECLARE_KERNELS(exp, bf16);
DECLARE_KERNELS(exp, f16);
DECLARE_KERNELS(log, f32);
DECLARE_KERNELS(log, bf16);
DECLARE_KERNELS(log, f16);

static int norm(int threads, const struct kernels *k, struct job j, struct workspace workspace)
{
    struct omp_call c = {.kernels = k, .job = j, .workspace = workspace};
    int status = ulp_check_norm(k, &c.job);
    return status ? status : ulp_omp_run(threads, &c);
}

int ulp_omp_layernorm_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                          const float *gamma, const float *beta, float eps, float *y,
                          size_t y_stride, float *stats, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return norm(threads, &ulp_kernels_layernorm_f32, ulp_norm_job(j, gamma, beta, eps, stats),
                (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_layernorm_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                           const float *gamma, const float *beta, float eps, ulp_bf16 *y,
                           size_t y_stride, float *stats, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return norm(threads, &ulp_kernels_layernorm_bf16, ulp_norm_job(j, gamma, beta, eps, stats),
                (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_layernorm_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                          const float *gamma, const float *beta, float eps, ulp_f16 *y,
                          size_t y_stride, float *stats, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return norm(threads, &ulp_kernels_layernorm_f16, ulp_norm_job(j, gamma, beta, eps, stats),
                (struct workspace){workspace, workspace_bytes});
}

int ulp_omp_rmsnorm_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                        const float *gamma, float eps, float *y, size_t y_stride, float *rstd,
                        void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return norm(threads, &ulp_kernels_rmsnorm_f32, ulp_norm_job(j, gamma, NULL, eps, rstd),
                (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_rmsnorm_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                         const float *gamma, float eps, ulp_bf16 *y, size_t y_stride, float *rstd,
                         void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return norm(threads, &ulp_kernels_rmsnorm_bf16, ulp_norm_job(j, gamma, NULL, eps, rstd),
                (struct workspace){workspace, workspace_bytes});
}
int ulp_omp_rmsnorm_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                        const float *gamma, float eps, ulp_f16 *y, size_t y_stride, float *rstd,
                        void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return norm(threads, &ulp_kernels_rmsnorm_f16, ulp_norm_job(j, gamma, NULL, eps, rstd),
                (struct workspace){workspace, workspace_bytes});
}

int ulp_omp_exp_f32(int threads, size_t n, const float *x, float *y)
{
    return ulp_omp_array(threads, &ulp_kernels_exp_f32, n, x, y);
}
int ulp_omp_exp_bf16(int threads, size_t n, const ulp_bf16 *x, ulp_bf16 *y)
{
    return ulp_omp_array(threads, &ulp_kernels_exp_bf16, n, x, y);
}
int ulp_omp_exp_f16(int threads, size_t n, const ulp_f16 *x, ulp_f16 *y)
{
    return ulp_omp_array(threads, &ulp_kernels_exp_f16, n, x, y);
}
int ulp_omp_log_f32(int threads, size_t n, const float *x, float *y)
{
    return ulp_omp_array(threads, &ulp_kernels_log_f32, n, x, y);
}
int ulp_omp_log_bf16(int threads, size_t n, const ulp_bf16 *x, ulp_bf16 *y)
{
    return ulp_omp_array(threads, &ulp_kernels_log_bf16, n, x, y);
}
int ulp_omp_log_f16(int threads, size_t n, const ulp_f16 *x, ulp_f16 *y)
{
    return ulp_omp_array(threads, &ulp_kernels_log_f16, n, x, y);
}
