/* layernorm, which has more arguments than rows. */
#include "lib/call.h"

#include <stdint.h>

#include "lib/arguments.h"
#include "ulp.h"

DECLARE_KERNELS(layernorm, f32);
DECLARE_KERNELS(layernorm, bf16);
DECLARE_KERNELS(layernorm, f16);
const struct kernels ulp_kernels_layernorm_f32 = KERNELS(layernorm, f32, float);
const struct kernels ulp_kernels_layernorm_bf16 = KERNELS(layernorm, bf16, ulp_bf16);
const struct kernels ulp_kernels_layernorm_f16 = KERNELS(layernorm, f16, ulp_f16);

/* gamma or beta, which may be NULL, beside what is written. */
static int check_parameter(const float *parameter, const struct job *j, size_t element_bytes)
{
    struct matrix p = {parameter, 1, j->n, j->n, sizeof(float)};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, element_bytes};
    struct matrix stats = {j->stats, j->stats ? j->rows : 0, 2, 2, sizeof(float)};
    int status = ULP_OK;
    if (!parameter || !j->rows) return ULP_OK;
    status = ulp_check_matrix(&p);
    if (!status) status = ulp_check_matrix(&y);
    if (!status) status = ulp_check_overlap(&p, &y, NULL);
    return status ? status : ulp_check_overlap(&p, &stats, NULL);
}

/* stats, which may be NULL, beside x and y. */
static int check_stats(const struct job *j, size_t element_bytes)
{
    struct matrix stats = {j->stats, j->rows, 2, 2, sizeof(float)};
    struct matrix x = {j->x, j->rows, j->n, j->x_stride, element_bytes};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, element_bytes};
    if (!j->stats) return ULP_OK;
    int status = ulp_check_matrix(&stats);
    if (!status) status = ulp_check_matrix(&x);
    if (!status) status = ulp_check_matrix(&y);
    if (!status) status = ulp_check_overlap(&stats, &x, NULL);
    return status ? status : ulp_check_overlap(&stats, &y, NULL);
}

struct job ulp_layernorm_job(struct job j, const float *gamma, const float *beta, float eps,
                             float *stats)
{
    j.gamma = gamma;
    j.beta = beta;
    j.eps = eps;
    j.stats = stats;
    return j;
}

int ulp_check_layernorm(const struct kernels *k, const struct job *j)
{
    if (!(j->eps >= 0.0f)) return ULP_EPS;
    int status = check_stats(j, k->element_bytes);
    if (!status) status = check_parameter(j->gamma, j, k->element_bytes);
    return status ? status : check_parameter(j->beta, j, k->element_bytes);
}

static int layernorm(const struct kernels *k, struct job j, struct workspace workspace)
{
    int status = ulp_check_layernorm(k, &j);
    return status ? status : ulp_call_rows(k, &j, &workspace);
}

int ulp_layernorm_f32(size_t rows, size_t n, const float *x, size_t x_stride, const float *gamma,
                      const float *beta, float eps, float *y, size_t y_stride, float *stats,
                      void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return layernorm(&ulp_kernels_layernorm_f32, ulp_layernorm_job(j, gamma, beta, eps, stats),
                     (struct workspace){workspace, workspace_bytes});
}
int ulp_layernorm_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                       const float *gamma, const float *beta, float eps, ulp_bf16 *y,
                       size_t y_stride, float *stats, void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return layernorm(&ulp_kernels_layernorm_bf16, ulp_layernorm_job(j, gamma, beta, eps, stats),
                     (struct workspace){workspace, workspace_bytes});
}
int ulp_layernorm_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, const float *gamma,
                      const float *beta, float eps, ulp_f16 *y, size_t y_stride, float *stats,
                      void *workspace, size_t workspace_bytes)
{
    struct job j = ulp_job(rows, n, x, x_stride, y, y_stride);
    return layernorm(&ulp_kernels_layernorm_f16, ulp_layernorm_job(j, gamma, beta, eps, stats),
                     (struct workspace){workspace, workspace_bytes});
}
