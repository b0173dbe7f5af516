// SPDX-License-Identifier: MIT
/* libulp_omp: the functions of ulp.h, each with OpenMP threads, and those functions themselves:
 * link either library, not both. ulp.h says what each function does, and all of that holds here,
 * bits included: the number of threads changes none.
 *
 *     cc program.c $(pkg-config --cflags --libs ulp_omp)
 *
 * threads = 0: as many as OpenMP would use (OMP_NUM_THREADS). Rows are shared among them; where
 * there are fewer rows than threads, they share each row of 16384 or more elements, but for softmax
 * and logsumexp of bf16 and f16, and for ulp_omp_cr_ functions. The workspace has
 * ulp_omp_workspace_bytes(threads, n) bytes. It may be NULL and 0 where n <= ULP_STACK_N, and for
 * moments and logsumexp of f32, where only shared rows need it. */
#ifndef ULP_OMP_H
#define ULP_OMP_H

#include "ulp.h"

#ifdef __cplusplus
extern "C" {
#endif

ULP_API size_t ulp_omp_workspace_bytes(int threads, size_t n);

ULP_API int ulp_omp_softmax_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                                float *y, size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_omp_softmax_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x,
                                 size_t x_stride, ulp_bf16 *y, size_t y_stride, void *workspace,
                                 size_t workspace_bytes);
ULP_API int ulp_omp_softmax_f16(int threads, size_t rows, size_t n, const ulp_f16 *x,
                                size_t x_stride, ulp_f16 *y, size_t y_stride, void *workspace,
                                size_t workspace_bytes);

ULP_API int ulp_omp_log_softmax_f32(int threads, size_t rows, size_t n, const float *x,
                                    size_t x_stride, float *y, size_t y_stride, void *workspace,
                                    size_t workspace_bytes);
ULP_API int ulp_omp_log_softmax_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x,
                                     size_t x_stride, ulp_bf16 *y, size_t y_stride, void *workspace,
                                     size_t workspace_bytes);
ULP_API int ulp_omp_log_softmax_f16(int threads, size_t rows, size_t n, const ulp_f16 *x,
                                    size_t x_stride, ulp_f16 *y, size_t y_stride, void *workspace,
                                    size_t workspace_bytes);

ULP_API int ulp_omp_logsumexp_f32(int threads, size_t rows, size_t n, const float *x,
                                  size_t x_stride, float *y, size_t y_stride, void *workspace,
                                  size_t workspace_bytes);
ULP_API int ulp_omp_logsumexp_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x,
                                   size_t x_stride, float *y, size_t y_stride, void *workspace,
                                   size_t workspace_bytes);
ULP_API int ulp_omp_logsumexp_f16(int threads, size_t rows, size_t n, const ulp_f16 *x,
                                  size_t x_stride, float *y, size_t y_stride, void *workspace,
                                  size_t workspace_bytes);

ULP_API int ulp_omp_moments_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                                float *y, size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_omp_moments_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x,
                                 size_t x_stride, float *y, size_t y_stride, void *workspace,
                                 size_t workspace_bytes);
ULP_API int ulp_omp_moments_f16(int threads, size_t rows, size_t n, const ulp_f16 *x,
                                size_t x_stride, float *y, size_t y_stride, void *workspace,
                                size_t workspace_bytes);

ULP_API int ulp_omp_layernorm_f32(int threads, size_t rows, size_t n, const float *x,
                                  size_t x_stride, const float *gamma, const float *beta, float eps,
                                  float *y, size_t y_stride, float *stats, void *workspace,
                                  size_t workspace_bytes);
ULP_API int ulp_omp_layernorm_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x,
                                   size_t x_stride, const float *gamma, const float *beta,
                                   float eps, ulp_bf16 *y, size_t y_stride, float *stats,
                                   void *workspace, size_t workspace_bytes);
ULP_API int ulp_omp_layernorm_f16(int threads, size_t rows, size_t n, const ulp_f16 *x,
                                  size_t x_stride, const float *gamma, const float *beta, float eps,
                                  ulp_f16 *y, size_t y_stride, float *stats, void *workspace,
                                  size_t workspace_bytes);

ULP_API int ulp_omp_rmsnorm_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                                const float *gamma, float eps, float *y, size_t y_stride,
                                float *rstd, void *workspace, size_t workspace_bytes);
ULP_API int ulp_omp_rmsnorm_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x,
                                 size_t x_stride, const float *gamma, float eps, ulp_bf16 *y,
                                 size_t y_stride, float *rstd, void *workspace,
                                 size_t workspace_bytes);
ULP_API int ulp_omp_rmsnorm_f16(int threads, size_t rows, size_t n, const ulp_f16 *x,
                                size_t x_stride, const float *gamma, float eps, ulp_f16 *y,
                                size_t y_stride, float *rstd, void *workspace,
                                size_t workspace_bytes);

ULP_API int ulp_omp_exp_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_exp_bf16(int threads, size_t n, const ulp_bf16 *x, ulp_bf16 *y);
ULP_API int ulp_omp_exp_f16(int threads, size_t n, const ulp_f16 *x, ulp_f16 *y);
ULP_API int ulp_omp_log_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_log_bf16(int threads, size_t n, const ulp_bf16 *x, ulp_bf16 *y);
ULP_API int ulp_omp_log_f16(int threads, size_t n, const ulp_f16 *x, ulp_f16 *y);

/* ---- Correctly rounded ----------------------------------------------------------------------- */

ULP_API int ulp_omp_cr_softmax_f32(int threads, size_t rows, size_t n, const float *x,
                                   size_t x_stride, float *y, size_t y_stride, void *workspace,
                                   size_t workspace_bytes);
ULP_API int ulp_omp_cr_log_softmax_f32(int threads, size_t rows, size_t n, const float *x,
                                       size_t x_stride, float *y, size_t y_stride, void *workspace,
                                       size_t workspace_bytes);
ULP_API int ulp_omp_cr_logsumexp_f32(int threads, size_t rows, size_t n, const float *x,
                                     size_t x_stride, float *y, size_t y_stride, void *workspace,
                                     size_t workspace_bytes);
ULP_API int ulp_omp_cr_moments_f32(int threads, size_t rows, size_t n, const float *x,
                                   size_t x_stride, float *y, size_t y_stride, void *workspace,
                                   size_t workspace_bytes);
ULP_API int ulp_omp_cr_layernorm_f32(int threads, size_t rows, size_t n, const float *x,
                                     size_t x_stride, const float *gamma, const float *beta,
                                     float eps, float *y, size_t y_stride, float *stats,
                                     void *workspace, size_t workspace_bytes);
ULP_API int ulp_omp_cr_rmsnorm_f32(int threads, size_t rows, size_t n, const float *x,
                                   size_t x_stride, const float *gamma, float eps, float *y,
                                   size_t y_stride, float *rstd, void *workspace,
                                   size_t workspace_bytes);

ULP_API int ulp_omp_cr_exp_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_exp2_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_expm1_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_log_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_log2_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_log1p_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_tanh_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_erf_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_sigmoid_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_silu_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_gelu_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_softplus_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_sin_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_cos_f32(int threads, size_t n, const float *x, float *y);
ULP_API int ulp_omp_cr_rsqrt_f32(int threads, size_t n, const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
