// SPDX-License-Identifier: MIT
/* libulp: softmax, log_softmax, logsumexp, moments, layernorm, rmsnorm, exp and log of rows of
 * numbers in fp32, bf16 and f16, with the same bits on every x86-64 CPU; and these and more,
 * correctly rounded (the end of this file). This header is the manual; docs/library.md has
 * measurements. ulp_omp.h has the same functions with threads.
 *
 *     cc program.c $(pkg-config --cflags --libs ulp)
 *
 *     float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[2][3];
 *     int status = ulp_softmax_f32(2, 3, &x[0][0], 3, &y[0][0], 3, NULL, 0);
 *
 * Rows. Every function takes `rows` rows of n elements. Row r starts at x + r * x_stride, in
 * elements; a stride is at least the length of its row. Pointers need the alignment of their
 * element, no more. Nothing outside the rows is read or written.
 *
 * Types. f32 is float. bf16 and f16 (IEEE binary16) are stored in 16 bits and computed in fp32; a
 * result is rounded to the type once, to nearest, ties to even. Moments, logsumexp, gamma, beta and
 * statistics are float whatever x is.
 *
 * Aliasing. Where y has x's shape it may be x, with the same stride: in place. No other overlap is
 * allowed, but rows of x and y may alternate in one matrix, with one stride for both. gamma, beta
 * and statistics overlap nothing that is written.
 *
 * Memory. Nothing is allocated, but see ulp_cr_. softmax, log_softmax, logsumexp, layernorm and
 * rmsnorm take a workspace of ulp_workspace_bytes(n) bytes, of any alignment and contents, which
 * one call uses at a time. It may be NULL and 0 where n <= ULP_STACK_N: then 18 KiB of the stack
 * are used. logsumexp of f32, moments, exp and log need none.
 *
 * Threads. Any number of threads may call any functions at once, but for ulp_set_isa(). Results do
 * not depend on how rows are cut among calls: a caller's threads may take some rows each.
 *
 * Bits. A row's results are a function of its elements, n and the operation alone. Neither the CPU
 * and its ISA change a bit, nor the compiler that built the library, strides, alignments, other
 * rows or threads; only a new major version may, which has another soname. Every NaN in a result is
 * 0x7fc00000 (bf16: 0x7fc0, f16: 0x7e00). The promise is for MXCSR as a process starts with it: no
 * FTZ, no DAZ, round to nearest. -ffast-math at a program's link would set FTZ and DAZ.
 *
 * State. MXCSR's modes and errno are left alone; exception flags are raised as by any arithmetic.
 * The first call asks the CPU for its ISA and the sizes of its caches. Those sizes decide about
 * speed alone. There is no other state.
 *
 * Returns. 0, or one of enum ulp_status; then nothing has been written. rows = 0 does nothing.
 *
 * Errors are in ulp, the distance of neighbouring floats of the type at the exact result; where
 * results may be near zero while what was added up is not, in u = 2^-24 of the latter. They are the
 * largest that the lab measured: of exp and log over all 2^32 floats (ulplab scan), of others over
 * its input families with n from 7 to 65536 (ulplab accuracy, the kernels `invariant`: records of
 * commits 71e5f9ff3ada, 9fc53b2abe6f, 1fd07421edbf in results/, and 17 lengths at 0a4fb388fcc7). */
#ifndef ULP_H
#define ULP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ULP_VERSION_MAJOR 1
#define ULP_VERSION_MINOR 1
#define ULP_STACK_N 1024 /* the longest row for which the workspace may be NULL */

#if defined __GNUC__
#define ULP_API __attribute__((visibility("default")))
#else
#define ULP_API
#endif

typedef uint16_t ulp_bf16; /* the bits: the high half of a float */
typedef uint16_t ulp_f16;  /* the bits of IEEE binary16 */

enum ulp_status {
    ULP_OK = 0,
    ULP_NULL,      /* a pointer is NULL and there is something to read or write */
    ULP_STRIDE,    /* a stride is shorter than its row, and there are several rows */
    ULP_ALIGNMENT, /* a pointer is not aligned to its element */
    ULP_OVERLAP,   /* x and y overlap, other than in place */
    ULP_SIZE,      /* a matrix exceeds PTRDIFF_MAX bytes */
    ULP_WORKSPACE, /* the workspace is smaller than ulp_workspace_bytes(n) */
    ULP_EPS,       /* eps is negative or a NaN */
    ULP_ISA,       /* ulp_set_isa: no such ISA, or this CPU lacks it */
    ULP_THREADS    /* libulp_omp: a negative number of threads */
};
/* A sentence for a status, never NULL. */
ULP_API const char *ulp_status_text(int status);

/* "1.1.0 (commit)" */
ULP_API const char *ulp_version(void);

/* The ISA in use: "avx512" (F, BW, DQ, VL), "avx2" (with FMA and F16C), "scalar" (one lane, FMA) or
 * "nofma" (one lane, by fma() of the C library; slow, on CPUs before 2013). */
ULP_API const char *ulp_isa(void);
/* Chooses one for all threads; NULL: the best. For tests and measurements, while no other function
 * runs. Returns ULP_ISA, and changes nothing, where there is no such ISA. */
ULP_API int ulp_set_isa(const char *name);

/* For rows of n elements, any number of them, in place or not: about 12 n bytes, and at least 9
 * KiB. SIZE_MAX if no such row fits in memory. */
ULP_API size_t ulp_workspace_bytes(size_t n);

/* ---- softmax --------------------------------------------------------------------------------- */

/* y[r][i] = exp(x[r][i]) / sum over j of exp(x[r][j]), without overflow. y may be x.
 *
 * A row with a NaN or a +inf, or of nothing but -inf, is all NaN. Else -inf gives 0. With n = 0
 * nothing is written. Subnormal results are rounded once.
 *
 * Error: at most 3.33 ulp of f32 (3.8 in longer searches, on rows of deviation 10), 0.501 of bf16
 * and f16. */
ULP_API int ulp_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                            size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_softmax_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, ulp_bf16 *y,
                             size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_softmax_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, ulp_f16 *y,
                            size_t y_stride, void *workspace, size_t workspace_bytes);

/* ---- log_softmax ----------------------------------------------------------------------------- */

/* y[r][i] = x[r][i] - log(sum over j of exp(x[r][j])). y may be x.
 *
 * A row with a NaN or a +inf, or of nothing but -inf, is all NaN. Else -inf gives -inf. With n = 0
 * nothing is written.
 *
 * Error: at most 2.6 u of what is subtracted; a result near zero, of an element that holds nearly
 * all of the sum, may err by many ulp. The only element of a row has a result near zero, not 0. */
ULP_API int ulp_log_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                                size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_log_softmax_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                                 ulp_bf16 *y, size_t y_stride, void *workspace,
                                 size_t workspace_bytes);
ULP_API int ulp_log_softmax_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                                ulp_f16 *y, size_t y_stride, void *workspace,
                                size_t workspace_bytes);

/* ---- logsumexp ------------------------------------------------------------------------------- */

/* y[r * y_stride] = log(sum over j of exp(x[r][j])), without overflow.
 *
 * NaN of a row with a NaN; else +inf of one with a +inf; -inf of one of nothing but -inf, or of
 * nothing: n = 0.
 *
 * Error: at most 1.7 u of the larger of the result and the inputs; a result near zero may err by
 * many ulp. */
ULP_API int ulp_logsumexp_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                              size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_logsumexp_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                               size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_logsumexp_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                              size_t y_stride, void *workspace, size_t workspace_bytes);

/* ---- moments --------------------------------------------------------------------------------- */

/* y[r * y_stride] = mean, y[r * y_stride + 1] = variance, divided by n (ddof 0). y_stride >= 2.
 *
 * Both are NaN of a row with a NaN, with infinities of both signs, or of nothing: n = 0. With
 * infinities of one sign the mean is infinite and the variance NaN. n = 1: the variance is 0.
 *
 * Error of both: at most 6.1 u of what was added up; a mean near zero may err by many ulp. */
ULP_API int ulp_moments_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                            size_t y_stride);
ULP_API int ulp_moments_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                             size_t y_stride);
ULP_API int ulp_moments_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                            size_t y_stride);

/* ---- layernorm ------------------------------------------------------------------------------- */

/* y[r][i] = (x[r][i] - mean) * rstd * gamma[i] + beta[i], rstd = 1 / sqrt(max(variance, 0) + eps).
 * y may be x. gamma and beta: n floats, or NULL for all ones, all zeros. stats: NULL, or for each
 * row the pair (mean, rstd). eps >= 0.
 *
 * A row with a NaN or an infinity is all NaN. With n = 0 statistics are NaN.
 *
 * Error: at most 3.8 u of what that equation adds up in f32, one rounding of it in bf16 and f16; a
 * result near zero may err by many ulp. */
ULP_API int ulp_layernorm_f32(size_t rows, size_t n, const float *x, size_t x_stride,
                              const float *gamma, const float *beta, float eps, float *y,
                              size_t y_stride, float *stats, void *workspace,
                              size_t workspace_bytes);
ULP_API int ulp_layernorm_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                               const float *gamma, const float *beta, float eps, ulp_bf16 *y,
                               size_t y_stride, float *stats, void *workspace,
                               size_t workspace_bytes);
ULP_API int ulp_layernorm_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                              const float *gamma, const float *beta, float eps, ulp_f16 *y,
                              size_t y_stride, float *stats, void *workspace,
                              size_t workspace_bytes);

/* ---- rmsnorm --------------------------------------------------------------------------------- */

/* y[r][i] = x[r][i] * rstd * gamma[i], rstd = 1 / sqrt(mean of x[r][i]^2 + eps), as RMSNorm of
 * PyTorch and of language models. y may be x. gamma: n floats, or NULL for all ones. rstd: NULL, or
 * a float for each row. eps >= 0.
 *
 * A row with a NaN is all NaN; beside an infinity, which itself becomes NaN, the others become
 * zeros. With n = 0 rstd is NaN. Squares neither overflow nor underflow, though rstd itself may.
 *
 * Error: at most 3.05 ulp of f32; 0.501 ulp of bf16 and f16. */
ULP_API int ulp_rmsnorm_f32(size_t rows, size_t n, const float *x, size_t x_stride,
                            const float *gamma, float eps, float *y, size_t y_stride, float *rstd,
                            void *workspace, size_t workspace_bytes);
ULP_API int ulp_rmsnorm_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                             const float *gamma, float eps, ulp_bf16 *y, size_t y_stride,
                             float *rstd, void *workspace, size_t workspace_bytes);
ULP_API int ulp_rmsnorm_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                            const float *gamma, float eps, ulp_f16 *y, size_t y_stride, float *rstd,
                            void *workspace, size_t workspace_bytes);

/* ---- exp and log of an array ----------------------------------------------------------------- */

/* exp: y[i] = e^x[i], at most 0.895 ulp of f32. -inf gives 0, +inf and what overflows +inf.
 * log: y[i] = log(x[i]), at most 0.837 ulp of f32. 0 and -0 give -inf, negative numbers NaN.
 * NaN gives NaN. Subnormal arguments count, subnormal results are rounded once. 0.501 ulp of bf16
 * and f16. y may be x. */
ULP_API int ulp_exp_f32(size_t n, const float *x, float *y);
ULP_API int ulp_exp_bf16(size_t n, const ulp_bf16 *x, ulp_bf16 *y);
ULP_API int ulp_exp_f16(size_t n, const ulp_f16 *x, ulp_f16 *y);
ULP_API int ulp_log_f32(size_t n, const float *x, float *y);
ULP_API int ulp_log_bf16(size_t n, const ulp_bf16 *x, ulp_bf16 *y);
ULP_API int ulp_log_f16(size_t n, const ulp_f16 *x, ulp_f16 *y);

/* ---- Correctly rounded ----------------------------------------------------------------------- */

/* ulp_cr_OP_f32: the same functions, and more of arrays, with another promise: every element of y
 * and of the statistics is the float that is nearest to the exact mathematical value for the floats
 * that are given, gamma, beta and eps among them; of two that are equally near, the even one. That
 * value is the definition, so that no order of additions, number of threads, version or library
 * matters: whoever else rounds correctly has the same bits, and elements of a row that are shuffled
 * take their results along. Subnormal results are rounded once; what rounds beyond the largest
 * float is infinite. docs/correct.md has the argument, and how it was tested.
 *
 * Arguments, special values and NaNs are as above, but: the only finite element of a row has a
 * log_softmax of 0; an exact zero that is a sum is +0, one that is rounded keeps its sign; the
 * elements of layernorm and rmsnorm are right though the variance or rstd is not a float; with
 * variance 0 and eps 0 they are NaN, and rstd is infinite.
 *
 *     exp2 2^x        sigmoid  1 / (1 + e^-x)     sin, cos  radians, NaN of infinities
 *     expm1 e^x - 1   silu     x sigmoid(x)       rsqrt     1 / sqrt(x): infinite of a zero, with
 *     log2            softplus log(1 + e^x)                 its sign; NaN below
 *     log1p log(1 + x): -inf at -1, NaN below     gelu      x (1 + erf(x / sqrt(2))) / 2
 *     tanh, erf, expm1, log1p, silu and sin keep the sign of a zero
 *
 * There is only f32: rounding these results once more to 16 bits would not be correct rounding.
 *
 * Price: computed in double, and again for the few results that doubles cannot tell, so that a
 * call's time depends on its data. softmax, log_softmax and logsumexp use at most 32 KiB more of
 * the stack; they alone allocate, and only for rows that nobody meets by chance: whose result is
 * within 2^-20000 of the middle between two floats. If malloc() fails then, the process ends. */
ULP_API int ulp_cr_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                               size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_cr_log_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                                   size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_cr_logsumexp_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                                 size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_cr_moments_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                               size_t y_stride);
ULP_API int ulp_cr_layernorm_f32(size_t rows, size_t n, const float *x, size_t x_stride,
                                 const float *gamma, const float *beta, float eps, float *y,
                                 size_t y_stride, float *stats, void *workspace,
                                 size_t workspace_bytes);
ULP_API int ulp_cr_rmsnorm_f32(size_t rows, size_t n, const float *x, size_t x_stride,
                               const float *gamma, float eps, float *y, size_t y_stride,
                               float *rstd, void *workspace, size_t workspace_bytes);

ULP_API int ulp_cr_exp_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_exp2_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_expm1_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_log_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_log2_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_log1p_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_tanh_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_erf_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_sigmoid_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_silu_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_gelu_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_softplus_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_sin_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_cos_f32(size_t n, const float *x, float *y);
ULP_API int ulp_cr_rsqrt_f32(size_t n, const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
