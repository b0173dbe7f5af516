/* layernorm and rmsnorm, which have more arguments than rows. */
#include "lib/call.h"

#include <stdint.h>

#include "lib/arguments.h"
#include "ulp.h"

DECLARE_KERNELS(layernorm, f32);
DECLARE_KERNELS(layernorm, bf16);
DECLARE_KERNELS(layernorm, f16);
const struct kernels ulp_kernels_layernorm_f32 = KERNELS_WITH_STATS(layernorm, f32, float, 2);
const struct kernels ulp_kernels_layernorm_bf16 = KERNELS_WITH_STATS(layernorm, bf16, ulp_bf16, 2);
const struct kernels ulp_kernels_layernorm_f16 = KERNELS_WITH_STATS(layernorm, f16, ulp_f16, 2);
DECLARE_KERNELS(rmsnorm, f32);
DECLARE_KERNELS(rmsnorm, bf16);
DECLARE_KERNELS(rmsnorm, f16);
const struct kernels ulp_kernels_rmsnorm_f32 = KERNELS_WITH_STATS(rmsnorm, f32, float, 1);
const struct kernels ulp_kernels_rmsnorm_bf16 = KERNELS_WITH_STATS(rmsnorm, bf16, ulp_bf16, 1);
const struct kernels ulp_kernels_rmsnorm_f16 = KERNELS_WITH_STATS(rmsnorm, f16, ulp_f16, 1);

/* gamma or beta, which may be NULL, beside what is written. */
static int check_parameter(const float *parameter, const struct job *j, const struct kernels *k)
{
    struct matrix p = {parameter, 1, j->n, j->n, sizeof(float)};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, k->element_bytes};
    struct matrix stats = {j->stats, j->stats ? j->rows : 0, k->stats, k->stats, sizeof(float)};
    int status = ULP_OK;
    if (!parameter || !j->rows) return ULP_OK;
    status = ulp_check_matrix(&p);
    if (!status) status = ulp_check_matrix(&y);
    if (!status) status = ulp_check_overlap(&p, &y, NULL);
    return status ? status : ulp_check_overlap(&p, &stats, NULL);
}

/* stats, which may be NULL, beside x and y. */
static int check_stats(const struct job *j, const struct kernels *k)
{
    struct matrix stats = {j->stats, j->rows, k->stats, k->stats, sizeof(float)};
    struct matrix x = {j->x, j->rows, j->n, j->x_stride, k->element_bytes};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, k->element_bytes};
    if (!j->stats) return ULP_OK;
    int status = ulp_check_matrix(&stats);
    if (!status) status = ulp_check_matrix(&x);
    if (!status) status = ulp_check_matrix(&y);
    if (!status) status = ulp_check_overlap(&stats, &x, NULL);
    return status ? status : ulp_check_overlap(&stats, &y, NULL);
}

struct job ulp_norm_job(struct job j, const float *gamma, const float *beta, float eps,
                        float *stats)
{
    j.gamma = gamma;
    j.beta = beta;
    j.eps = eps;
    j.stats = stats;
    return j;
}

int ulp_check_norm(const struct kernels *k, const struct job *j)
{
    if (!(j->eps >= 0.0f)) return ULP_EPS;
    int status = check_stats(j, k);
    if (!status) status = check_parameter(j->gamma, j, k);
    return status ? status : check_parameter(j->beta, j, k);
}

int ulp_call_norm(const struct kernels *k, struct job j, struct workspace workspace)
{
    int status = ulp_check_norm(k, &j);
    return status ? status : ulp_call_rows(k, &j, &workspace);
}

int ulp_layernorm_f32(size_t rows, size_t n, const float *x, size_t x_stride, const float *gamma,
                      const float *beta, float eps, float *y, size_t y_stride, float *stats,
                      void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_norm(&ulp_kernels_layernorm_f32, ulp_norm_job(j, gamma, beta, eps, stats),
                         (struct workspace){workspace, workspace_bytes});
}
int ulp_layernorm_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                       const float *gamma, const float *beta, float eps, ulp_bf16 *y,
                       size_t y_stride, float *stats, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_norm(&ulp_kernels_layernorm_bf16, ulp_norm_job(j, gamma, beta, eps, stats),
                         (struct workspace){workspace, workspace_bytes});
}
int ulp_layernorm_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, const float *gamma,
                      const float *beta, float eps, ulp_f16 *y, size_t y_stride, float *stats,
                      void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_norm(&ulp_kernels_layernorm_f16, ulp_norm_job(j, gamma, beta, eps, stats),
                         (struct workspace){workspace, workspace_bytes});
}
int ulp_rmsnorm_f32(size_t rows, size_t n, const float *x, size_t x_stride, const float *gamma,
                    float eps, float *y, size_t y_stride, float *rstd, void *workspace,
                    size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_norm(&ulp_kernels_rmsnorm_f32, ulp_norm_job(j, gamma, NULL, eps, rstd),
                         (struct workspace){workspace, workspace_bytes});
}
int ulp_rmsnorm_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, const float *gamma,
                     float eps, ulp_bf16 *y, size_t y_stride, float *rstd, void *workspace,
                     size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_norm(&ulp_kernels_rmsnorm_bf16, ulp_norm_job(j, gamma, NULL, eps, rstd),
                         (struct workspace){workspace, workspace_bytes});
}
int ulp_rmsnorm_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, const float *gamma,
                    float eps, ulp_f16 *y, size_t y_stride, float *rstd, void *workspace,
                    size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return ulp_call_norm(&ulp_kernels_rmsnorm_f16, ulp_norm_job(j, gamma, NULL, eps, rstd),
                         (struct workspace){workspace, workspace_bytes});
}
