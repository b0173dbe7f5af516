/* libulp: softmax, log_softmax, logsumexp, moments, layernorm, exp and log of rows of numbers in
 * fp32, bf16 and f16, with the same bits on every x86-64 CPU. This header is the manual;
 * docs/library.md has measurements.
 *
 *     cc program.c $(pkg-config --cflags --libs ulp)            with threads of its own: ulp_omp
 *
 *     float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[2][3];
 *     int status = ulp_softmax_f32(2, 3, &x[0][0], 3, &y[0][0], 3, NULL, 0);
 *
 * Rows.       Every function takes `rows` rows of n elements; row r starts at x + r * x_stride, in
 * elements. A stride is at least the length of the row it belongs to. Pointers need the alignment
 * of their element, no more. Nothing outside the rows is read or written. Types.      f32 is float.
 * bf16 and f16 (IEEE binary16) are stored in 16 bits and computed in fp32; only the result is
 *             rounded to the type, to nearest, ties to even. Moments, logarithms of sums, gamma,
 * beta and statistics are float whatever x is. Aliasing.   y == x with y_stride == x_stride, in
 * place, is right wherever y has x's shape. No other overlap is, but rows of x and y may alternate
 * in one matrix (the same stride for both, at least 2 n). gamma and beta may not overlap what is
 * written. Memory.     Nothing is allocated. softmax, log_softmax and layernorm take a workspace of
 * ulp_workspace_bytes(n) bytes, of any alignment and contents, for one call at a time. For n <=
 * ULP_STACK_N it may be NULL and 0: they use 18 KiB of the stack. The other functions need none.
 * Threads.    Any number may call any function at once, but for ulp_set_isa(). Results do not
 * depend on how rows are cut among calls, so that a caller's own threads may each take some rows;
 * libulp_omp does that by OpenMP. Bits.       The results of a row are a function of its elements,
 * n and the operation alone: neither the CPU and its ISA, nor the compiler that built the library,
 * nor strides, alignments, other rows or threads change a bit. Only a new major version (another
 * soname) may. The promise is for MXCSR as a process starts with it: round to nearest, no FTZ, no
 * DAZ. Every NaN in a result is the same: 0x7fc00000, in bf16 0x7fc0, in f16 0x7e00. State. MXCSR's
 * modes and errno are left alone; exception flags are raised as by any arithmetic. The CPU is asked
 *             once, by the first call, for its ISA and the sizes of its caches; the latter decide
 * about speed alone. Returns.    0 or one of enum ulp_status. With any but 0 nothing has been
 * written. rows = 0 is right and does nothing. Errors.     In ulp, the distance of neighbouring
 * floats of the type at the exact result (docs/method.md, "Error measure"), as the lab measured
 * them: exp and log over all 2^32 floats, others on its input families for n = 7 to 65536 (results/
 * of commit 9fc53b2abe6f and the fields of its reports). */
#ifndef ULP_H
#define ULP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ULP_VERSION_MAJOR 1
#define ULP_VERSION_MINOR 0
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

/* "1.0.0 (commit)" */
ULP_API const char *ulp_version(void);

/* The ISA in use: "avx512" (F, BW, DQ, VL), "avx2" (with FMA and F16C), "scalar" (one lane, FMA) or
 * "nofma" (one lane, by fma() of the C library; slow, on CPUs before 2013). */
ULP_API const char *ulp_isa(void);
/* Chooses one for all threads; NULL: the best. For tests and measurements, while no other function
 * runs. Returns ULP_ISA, and changes nothing, where there is no such ISA. */
ULP_API int ulp_set_isa(const char *name);

/* What softmax, log_softmax and layernorm need for rows of n elements, any number of rows, in place
 * or not: about 12 n + 10 KiB. SIZE_MAX if no such row fits in memory. */
ULP_API size_t ulp_workspace_bytes(size_t n);

/* ---- softmax
 * ------------------------------------------------------------------------------------------
 * y[r][i] = exp(x[r][i]) / sum over j of exp(x[r][j]), without overflow. y may be x.
 * A row with a NaN or a +inf, or of nothing but -inf, is all NaN; else -inf gives 0. n = 0: nothing
 * is written. Error: at most 2.79 ulp of f32 on the lab's families, 3.8 on logits of deviation 10
 * by a longer search; 0.51 ulp of bf16 and f16. Results that are subnormal are rounded once. */
ULP_API int ulp_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                            size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_softmax_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, ulp_bf16 *y,
                             size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_softmax_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, ulp_f16 *y,
                            size_t y_stride, void *workspace, size_t workspace_bytes);

/* ---- log_softmax
 * -------------------------------------------------------------------------------------- y[r][i] =
 * x[r][i] - log(sum over j of exp(x[r][j])). y may be x. A row with a NaN or a +inf, or of nothing
 * but -inf, is all NaN; else -inf gives -inf. n = 0: nothing is written. */
ULP_API int ulp_log_softmax_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                                size_t y_stride, void *workspace, size_t workspace_bytes);
ULP_API int ulp_log_softmax_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                                 ulp_bf16 *y, size_t y_stride, void *workspace,
                                 size_t workspace_bytes);
ULP_API int ulp_log_softmax_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                                ulp_f16 *y, size_t y_stride, void *workspace,
                                size_t workspace_bytes);

/* ---- logsumexp
 * ---------------------------------------------------------------------------------------- y[r
 * y_stride] = log(sum over j of exp(x[r][j])), without overflow. y must not overlap x. NaN of a row
 * with a NaN; else +inf of one with a +inf; -inf of one of nothing but -inf, or empty (n = 0).
 * Error: at most 0.91 ulp where the result is not near zero; there, 1.3 u of the inputs' magnitude
 * (u = 2^-24). */
ULP_API int ulp_logsumexp_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                              size_t y_stride);
ULP_API int ulp_logsumexp_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                               size_t y_stride);
ULP_API int ulp_logsumexp_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                              size_t y_stride);

/* ---- moments
 * ------------------------------------------------------------------------------------------ y[r
 * y_stride] = mean, y[r y_stride + 1] = variance (divided by n; ddof 0). y_stride >= 2; y must not
 * overlap x. A row with a NaN or an infinity has mean or variance NaN or infinite as IEEE
 * arithmetic says. n = 0: NaN, NaN. n = 1: the variance is 0. Error of both: at most 6.1 u of the
 * magnitudes added up (u = 2^-24); a mean near zero has many ulp. */
ULP_API int ulp_moments_f32(size_t rows, size_t n, const float *x, size_t x_stride, float *y,
                            size_t y_stride);
ULP_API int ulp_moments_bf16(size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride, float *y,
                             size_t y_stride);
ULP_API int ulp_moments_f16(size_t rows, size_t n, const ulp_f16 *x, size_t x_stride, float *y,
                            size_t y_stride);

/* ---- layernorm
 * ---------------------------------------------------------------------------------------- y[r][i]
 * = (x[r][i] - mean) rstd gamma[i] + beta[i], rstd = 1 / sqrt(max(variance, 0) + eps). y may be x.
 * gamma and beta: n floats, or NULL for all ones, all zeros. stats: NULL, or rows pairs (mean,
 * rstd). eps >= 0. A row with a NaN or an infinity is all NaN. n = 0: statistics are NaN. Error: at
 * most 3.4 u of the magnitudes in that equation; a result near zero has many ulp. 0.63 ulp of bf16
 * and f16. */
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

/* ---- exp and log of an array
 * -------------------------------------------------------------------------- y[i] = e^x[i]: at most
 * 0.895 ulp of f32; -inf gives 0, +inf and what overflows +inf, NaN NaN. y[i] = log(x[i]): at most
 * 0.837 ulp of f32; +-0 give -inf, negative numbers and NaN NaN, +inf +inf. Subnormal arguments and
 * results are exact or rounded once. 0.51 ulp of bf16 and f16. y may be x. */
ULP_API int ulp_exp_f32(size_t n, const float *x, float *y);
ULP_API int ulp_exp_bf16(size_t n, const ulp_bf16 *x, ulp_bf16 *y);
ULP_API int ulp_exp_f16(size_t n, const ulp_f16 *x, ulp_f16 *y);
ULP_API int ulp_log_f32(size_t n, const float *x, float *y);
ULP_API int ulp_log_bf16(size_t n, const ulp_bf16 *x, ulp_bf16 *y);
ULP_API int ulp_log_f16(size_t n, const ulp_f16 *x, ulp_f16 *y);

#ifdef __cplusplus
}
#endif

#endif
