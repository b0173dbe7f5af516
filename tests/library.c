// SPDX-License-Identifier: MIT
#include "library.h"

/* ---- Adapters
 * ------------------------------------------------------------------------------------
 */

#define ROWS(op, type)                                                                             \
    static int call_##op##_##type(const struct job *j, void *w, size_t b)                          \
    {                                                                                              \
        return ulp_##op##_##type(j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride, w, b);       \
    }                                                                                              \
    static int threads_##op##_##type(int t, const struct job *j, void *w, size_t b)                \
    {                                                                                              \
        return ulp_omp_##op##_##type(t, j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride, w,    \
                                     b);                                                           \
    }
#define MOMENTS(op, type)                                                                          \
    static int call_##op##_##type(const struct job *j, void *w, size_t b)                          \
    {                                                                                              \
        (void)w, (void)b;                                                                          \
        return ulp_##op##_##type(j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride);             \
    }                                                                                              \
    static int threads_##op##_##type(int t, const struct job *j, void *w, size_t b)                \
    {                                                                                              \
        return ulp_omp_##op##_##type(t, j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride, w,    \
                                     b);                                                           \
    }
#define LAYERNORM(op, type)                                                                        \
    static int call_##op##_##type(const struct job *j, void *w, size_t b)                          \
    {                                                                                              \
        return ulp_##op##_##type(j->rows, j->n, j->x, j->x_stride, j->gamma, j->beta, j->eps,      \
                                 j->y, j->y_stride, j->stats, w, b);                               \
    }                                                                                              \
    static int threads_##op##_##type(int t, const struct job *j, void *w, size_t b)                \
    {                                                                                              \
        return ulp_omp_##op##_##type(t, j->rows, j->n, j->x, j->x_stride, j->gamma, j->beta,       \
                                     j->eps, j->y, j->y_stride, j->stats, w, b);                   \
    }
#define RMSNORM(op, type)                                                                          \
    static int call_##op##_##type(const struct job *j, void *w, size_t b)                          \
    {                                                                                              \
        return ulp_##op##_##type(j->rows, j->n, j->x, j->x_stride, j->gamma, j->eps, j->y,         \
                                 j->y_stride, j->stats, w, b);                                     \
    }                                                                                              \
    static int threads_##op##_##type(int t, const struct job *j, void *w, size_t b)                \
    {                                                                                              \
        return ulp_omp_##op##_##type(t, j->rows, j->n, j->x, j->x_stride, j->gamma, j->eps, j->y,  \
                                     j->y_stride, j->stats, w, b);                                 \
    }
/* Functions of arrays are called once per row. */
#define ARRAYS(op, type, element)                                                                  \
    static int call_##op##_##type(const struct job *j, void *w, size_t b)                          \
    {                                                                                              \
        int status = ULP_OK;                                                                       \
        (void)w, (void)b;                                                                          \
        for (size_t r = 0; r < j->rows && !status; r++)                                            \
            status = ulp_##op##_##type(j->n, (const element *)j->x + r * j->x_stride,              \
                                       (element *)j->y + r * j->y_stride);                         \
        return status;                                                                             \
    }                                                                                              \
    static int threads_##op##_##type(int t, const struct job *j, void *w, size_t b)                \
    {                                                                                              \
        int status = ULP_OK;                                                                       \
        (void)w, (void)b;                                                                          \
        for (size_t r = 0; r < j->rows && !status; r++)                                            \
            status = ulp_omp_##op##_##type(t, j->n, (const element *)j->x + r * j->x_stride,       \
                                           (element *)j->y + r * j->y_stride);                     \
        return status;                                                                             \
    }

ROWS(softmax, f32)
ROWS(softmax, bf16)
ROWS(softmax, f16)
ROWS(log_softmax, f32)
ROWS(log_softmax, bf16)
ROWS(log_softmax, f16)
ROWS(logsumexp, f32)
ROWS(logsumexp, bf16)
ROWS(logsumexp, f16)
MOMENTS(moments, f32)
MOMENTS(moments, bf16)
MOMENTS(moments, f16)
LAYERNORM(layernorm, f32)
LAYERNORM(layernorm, bf16)
LAYERNORM(layernorm, f16)
RMSNORM(rmsnorm, f32)
RMSNORM(rmsnorm, bf16)
RMSNORM(rmsnorm, f16)
ARRAYS(exp, f32, float)
ARRAYS(exp, bf16, ulp_bf16)
ARRAYS(exp, f16, ulp_f16)
ARRAYS(log, f32, float)
ARRAYS(log, bf16, ulp_bf16)
ARRAYS(log, f16, ulp_f16)
ROWS(cr_softmax, f32)
ROWS(cr_log_softmax, f32)
ROWS(cr_logsumexp, f32)
MOMENTS(cr_moments, f32)
LAYERNORM(cr_layernorm, f32)
RMSNORM(cr_rmsnorm, f32)
ARRAYS(cr_exp, f32, float)
ARRAYS(cr_exp2, f32, float)
ARRAYS(cr_expm1, f32, float)
ARRAYS(cr_log, f32, float)
ARRAYS(cr_log2, f32, float)
ARRAYS(cr_log1p, f32, float)
ARRAYS(cr_tanh, f32, float)
ARRAYS(cr_erf, f32, float)
ARRAYS(cr_sigmoid, f32, float)
ARRAYS(cr_silu, f32, float)
ARRAYS(cr_gelu, f32, float)
ARRAYS(cr_softplus, f32, float)
ARRAYS(cr_sin, f32, float)
ARRAYS(cr_cos, f32, float)
ARRAYS(cr_rsqrt, f32, float)

/* ---- The table ------------------------------------------------------------------------------- */

#define ROW(function, kernel, type, columns, stats, workspace)                                     \
    ROW_BY(invariant, function, kernel, type, columns, stats, workspace)
#define ROW_BY(by, function, kernel, type, columns, stats, workspace)                              \
    {                                                                                              \
#function "_" #type, kernel, #type, #by, columns, stats, workspace,                        \
            call_##function##_##type, threads_##function##_##type                                  \
    }
#define ROW_OF_TYPES(function, kernel, columns, stats, workspace)                                  \
    ROW(function, kernel, f32, columns, stats, workspace),                                         \
        ROW(function, kernel, bf16, columns, stats, workspace),                                    \
        ROW(function, kernel, f16, columns, stats, workspace)

const struct library_function library_functions[] = {
    ROW_OF_TYPES(softmax, "softmax", 0, 0, true),
    ROW_OF_TYPES(log_softmax, "log_softmax", 0, 0, true),
    ROW(logsumexp, "logsumexp", f32, 1, 0, false),
    ROW(logsumexp, "logsumexp", bf16, 1, 0, true),
    ROW(logsumexp, "logsumexp", f16, 1, 0, true),
    ROW_OF_TYPES(moments, "moments", 2, 0, false),
    ROW_OF_TYPES(layernorm, "layernorm", 0, 2, true),
    ROW_OF_TYPES(rmsnorm, "rmsnorm", 0, 1, true),
    ROW_OF_TYPES(exp, "exp", 0, 0, false),
    ROW_OF_TYPES(log, "log", 0, 0, false),
    ROW_BY(correct, cr_softmax, "softmax", f32, 0, 0, true),
    ROW_BY(correct, cr_log_softmax, "log_softmax", f32, 0, 0, true),
    ROW_BY(correct, cr_logsumexp, "logsumexp", f32, 1, 0, false),
    ROW_BY(correct, cr_moments, "moments", f32, 2, 0, false),
    ROW_BY(correct, cr_layernorm, "layernorm", f32, 0, 2, true),
    ROW_BY(correct, cr_rmsnorm, "rmsnorm", f32, 0, 1, true),
    ROW_BY(correct, cr_exp, "exp", f32, 0, 0, false),
    ROW_BY(correct, cr_exp2, "exp2", f32, 0, 0, false),
    ROW_BY(correct, cr_expm1, "expm1", f32, 0, 0, false),
    ROW_BY(correct, cr_log, "log", f32, 0, 0, false),
    ROW_BY(correct, cr_log2, "log2", f32, 0, 0, false),
    ROW_BY(correct, cr_log1p, "log1p", f32, 0, 0, false),
    ROW_BY(correct, cr_tanh, "tanh", f32, 0, 0, false),
    ROW_BY(correct, cr_erf, "erf", f32, 0, 0, false),
    ROW_BY(correct, cr_sigmoid, "sigmoid", f32, 0, 0, false),
    ROW_BY(correct, cr_silu, "silu", f32, 0, 0, false),
    ROW_BY(correct, cr_gelu, "gelu", f32, 0, 0, false),
    ROW_BY(correct, cr_softplus, "softplus", f32, 0, 0, false),
    ROW_BY(correct, cr_sin, "sin", f32, 0, 0, false),
    ROW_BY(correct, cr_cos, "cos", f32, 0, 0, false),
    ROW_BY(correct, cr_rsqrt, "rsqrt", f32, 0, 0, false),
};
const size_t library_function_count = sizeof library_functions / sizeof *library_functions;

const char *const library_isas[LIBRARY_ISAS] = {"nofma", "scalar", "avx2", "avx512"};
