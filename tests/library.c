// SPDX-License-Identifier: MIT
#include "library.h"

/* ---- Adapters, by the arguments that a function takes ---------------------------------------- */

typedef float element_f32;
typedef ulp_bf16 element_bf16;
typedef ulp_f16 element_f16;

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
#define ARRAYS(op, type)                                                                           \
    static int call_##op##_##type(const struct job *j, void *w, size_t b)                          \
    {                                                                                              \
        int status = ULP_OK;                                                                       \
        (void)w, (void)b;                                                                          \
        for (size_t r = 0; r < j->rows && !status; r++)                                            \
            status = ulp_##op##_##type(j->n, (const element_##type *)j->x + r * j->x_stride,       \
                                       (element_##type *)j->y + r * j->y_stride);                  \
        return status;                                                                             \
    }                                                                                              \
    static int threads_##op##_##type(int t, const struct job *j, void *w, size_t b)                \
    {                                                                                              \
        int status = ULP_OK;                                                                       \
        (void)w, (void)b;                                                                          \
        for (size_t r = 0; r < j->rows && !status; r++)                                            \
            status =                                                                               \
                ulp_omp_##op##_##type(t, j->n, (const element_##type *)j->x + r * j->x_stride,     \
                                      (element_##type *)j->y + r * j->y_stride);                   \
        return status;                                                                             \
    }

/* ---- The table ------------------------------------------------------------------------------- */

/* Arguments, algorithm and name, operation and type of the lab's kernel, columns, stats, workspace.
 */
#define FUNCTIONS(F)                                                                               \
    F(ROWS, invariant, softmax, softmax, f32, 0, 0, true)                                          \
    F(ROWS, invariant, softmax, softmax, bf16, 0, 0, true)                                         \
    F(ROWS, invariant, softmax, softmax, f16, 0, 0, true)                                          \
    F(ROWS, invariant, log_softmax, log_softmax, f32, 0, 0, true)                                  \
    F(ROWS, invariant, log_softmax, log_softmax, bf16, 0, 0, true)                                 \
    F(ROWS, invariant, log_softmax, log_softmax, f16, 0, 0, true)                                  \
    F(ROWS, invariant, logsumexp, logsumexp, f32, 1, 0, false)                                     \
    F(ROWS, invariant, logsumexp, logsumexp, bf16, 1, 0, true)                                     \
    F(ROWS, invariant, logsumexp, logsumexp, f16, 1, 0, true)                                      \
    F(MOMENTS, invariant, moments, moments, f32, 2, 0, false)                                      \
    F(MOMENTS, invariant, moments, moments, bf16, 2, 0, false)                                     \
    F(MOMENTS, invariant, moments, moments, f16, 2, 0, false)                                      \
    F(LAYERNORM, invariant, layernorm, layernorm, f32, 0, 2, true)                                 \
    F(LAYERNORM, invariant, layernorm, layernorm, bf16, 0, 2, true)                                \
    F(LAYERNORM, invariant, layernorm, layernorm, f16, 0, 2, true)                                 \
    F(RMSNORM, invariant, rmsnorm, rmsnorm, f32, 0, 1, true)                                       \
    F(RMSNORM, invariant, rmsnorm, rmsnorm, bf16, 0, 1, true)                                      \
    F(RMSNORM, invariant, rmsnorm, rmsnorm, f16, 0, 1, true)                                       \
    F(ARRAYS, invariant, exp, exp, f32, 0, 0, false)                                               \
    F(ARRAYS, invariant, exp, exp, bf16, 0, 0, false)                                              \
    F(ARRAYS, invariant, exp, exp, f16, 0, 0, false)                                               \
    F(ARRAYS, invariant, log, log, f32, 0, 0, false)                                               \
    F(ARRAYS, invariant, log, log, bf16, 0, 0, false)                                              \
    F(ARRAYS, invariant, log, log, f16, 0, 0, false)                                               \
    F(ROWS, correct, cr_softmax, softmax, f32, 0, 0, true)                                         \
    F(ROWS, correct, cr_log_softmax, log_softmax, f32, 0, 0, true)                                 \
    F(ROWS, correct, cr_logsumexp, logsumexp, f32, 1, 0, false)                                    \
    F(MOMENTS, correct, cr_moments, moments, f32, 2, 0, false)                                     \
    F(LAYERNORM, correct, cr_layernorm, layernorm, f32, 0, 2, true)                                \
    F(RMSNORM, correct, cr_rmsnorm, rmsnorm, f32, 0, 1, true)                                      \
    F(ARRAYS, correct, cr_exp, exp, f32, 0, 0, false)                                              \
    F(ARRAYS, correct, cr_exp2, exp2, f32, 0, 0, false)                                            \
    F(ARRAYS, correct, cr_expm1, expm1, f32, 0, 0, false)                                          \
    F(ARRAYS, correct, cr_log, log, f32, 0, 0, false)                                              \
    F(ARRAYS, correct, cr_log2, log2, f32, 0, 0, false)                                            \
    F(ARRAYS, correct, cr_log1p, log1p, f32, 0, 0, false)                                          \
    F(ARRAYS, correct, cr_tanh, tanh, f32, 0, 0, false)                                            \
    F(ARRAYS, correct, cr_erf, erf, f32, 0, 0, false)                                              \
    F(ARRAYS, correct, cr_sigmoid, sigmoid, f32, 0, 0, false)                                      \
    F(ARRAYS, correct, cr_silu, silu, f32, 0, 0, false)                                            \
    F(ARRAYS, correct, cr_gelu, gelu, f32, 0, 0, false)                                            \
    F(ARRAYS, correct, cr_softplus, softplus, f32, 0, 0, false)                                    \
    F(ARRAYS, correct, cr_sin, sin, f32, 0, 0, false)                                              \
    F(ARRAYS, correct, cr_cos, cos, f32, 0, 0, false)                                              \
    F(ARRAYS, correct, cr_rsqrt, rsqrt, f32, 0, 0, false)

#define ADAPTERS(arguments, by, function, op, type, ...) arguments(function, type)
FUNCTIONS(ADAPTERS)

#define ROW(arguments, by, function, op, type, columns, stats, workspace)                          \
    {#function "_" #type,                                                                          \
     #op,                                                                                          \
     #type,                                                                                        \
     #by,                                                                                          \
     columns,                                                                                      \
     stats,                                                                                        \
     workspace,                                                                                    \
     call_##function##_##type,                                                                     \
     threads_##function##_##type},
const struct library_function library_functions[] = {FUNCTIONS(ROW)};
const size_t library_function_count = sizeof library_functions / sizeof *library_functions;

const char *const library_isas[LIBRARY_ISAS] = {"nofma", "scalar", "avx2", "avx512"};
